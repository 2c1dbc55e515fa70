"""Elementary functions of doubles with the digits of Java's StrictMath, which is fdlibm."""
