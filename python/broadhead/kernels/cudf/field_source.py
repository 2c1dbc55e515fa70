"""CUDA source of the kernels that divide lines, and read texts of fields: a thread for each row.

A text is null, a plain value, or unparsed. Plain numbers have at most 18 digits and no superfluous
zeros before the point; plain dates and timestamps are those of the years 1000 to 9999.
"""

from __future__ import annotations

ZERO, HIGH, RETURN, QUOTE, ESCAPE, WRONG, EMPTY = (1 << bit for bit in range(7))
"""What is found in a block."""

PLAIN, UNPARSED = 1, 2
"""States of texts; that of a null is 0."""

FUNCTIONS = r"""
typedef unsigned char u8;
typedef long long i64;

enum State : u8 { NULL_TEXT = 0, PLAIN = 1, UNPARSED = 2 };

struct Text {
  const u8* at;
  i64 size;
};

struct Word {
  const u8* at;
  i64 size;
};

HOST_DEVICE inline bool is_null(Text text, Word word) {
  if (text.size == 0) return true;
  if (text.size != word.size) return false;
  for (i64 i = 0; i < text.size; ++i)
    if (text.at[i] != word.at[i]) return false;
  return true;
}

struct Number {
  i64 unscaled;
  int digits, fractions;
  bool negative, plain;
};

HOST_DEVICE inline Number number_of(Text text) {
  Number n = {0, 0, 0, false, false};
  i64 first = 0;
  if (text.size && text.at[0] == '-') {
    n.negative = true;
    first = 1;
  }
  bool point = false;
  for (i64 i = first; i < text.size; ++i) {
    unsigned digit = (unsigned)text.at[i] - '0';
    if (text.at[i] == '.' && !point) {
      point = true;
      continue;
    }
    if (digit > 9 || n.digits == 18) return n;
    n.unscaled = n.unscaled * 10 + digit;
    ++n.digits;
    n.fractions += point;
  }
  int whole = n.digits - n.fractions;
  if (whole < 1 || (point && !n.fractions)) return n;
  if (whole > 1 && text.at[first] == '0') return n;
  if (n.negative) n.unscaled = -n.unscaled;
  n.plain = true;
  return n;
}

HOST_DEVICE inline i64 power_of_ten(int exponent) {
  i64 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

HOST_DEVICE inline State integer_of(Text text, i64 low, i64 high, i64* value) {
  Number n = number_of(text);
  *value = n.unscaled;
  bool plain = n.plain && !n.fractions && n.unscaled >= low && n.unscaled <= high;
  return plain ? PLAIN : UNPARSED;
}

HOST_DEVICE inline State decimal_of(Text text, int precision, int scale, i64* value) {
  Number n = number_of(text);
  *value = 0;
  if (!n.plain || n.fractions > scale) return UNPARSED;
  int missing = scale - n.fractions;
  if (missing > precision) return UNPARSED;
  i64 most = power_of_ten(precision - missing);
  if (n.unscaled >= most || n.unscaled <= -most) return UNPARSED;
  *value = n.unscaled * power_of_ten(missing);
  return PLAIN;
}

// The quotient of two exact doubles is the nearest double.
HOST_DEVICE inline State double_of(Text text, double* value) {
  Number n = number_of(text);
  *value = 0;
  i64 exact = 1LL << 53;
  if (!n.plain || n.unscaled >= exact || n.unscaled <= -exact) return UNPARSED;
  if (n.negative && !n.unscaled) return UNPARSED;
  *value = (double)n.unscaled / (double)power_of_ten(n.fractions);
  return PLAIN;
}

HOST_DEVICE inline State boolean_of(Text text, u8* value) {
  const char* words[2] = {"false", "true"};
  for (int word = 0; word < 2; ++word) {
    i64 size = word ? 4 : 5;
    bool same = text.size == size;
    for (i64 i = 0; same && i < size; ++i) same = (text.at[i] | 0x20) == words[word][i];
    if (same) {
      *value = (u8)word;
      return PLAIN;
    }
  }
  *value = 0;
  return UNPARSED;
}

HOST_DEVICE inline int digits_at(Text text, int from, int count) {
  int value = 0;
  for (int i = from; i < from + count; ++i) {
    unsigned digit = (unsigned)text.at[i] - '0';
    if (digit > 9) return -1;
    value = value * 10 + (int)digit;
  }
  return value;
}

// Days since 1970 of the first ten characters, by the proleptic Gregorian calendar.
HOST_DEVICE inline bool day_of(Text text, int* days) {
  *days = 0;
  if (text.size < 10 || text.at[4] != '-' || text.at[7] != '-') return false;
  int year = digits_at(text, 0, 4), month = digits_at(text, 5, 2), day = digits_at(text, 8, 2);
  if (year < 1000 || month < 1 || month > 12 || day < 1) return false;
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  const int lengths[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (day > lengths[month - 1] + (leap && month == 2)) return false;
  int of_year = month > 2 ? year : year - 1;
  int era = of_year / 400, in_era = of_year - era * 400;
  int in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  *days = era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
  return true;
}

HOST_DEVICE inline State date_of(Text text, int* days) {
  bool valid = day_of(text, days);
  return valid && text.size == 10 ? PLAIN : UNPARSED;
}

// `between` is 'T' or ' ', which stands before the clock; 0 for one of them, for no clock, and for
// fractions of seconds.
HOST_DEVICE inline State timestamp_of(Text text, u8 between, i64* micros) {
  int days;
  *micros = 0;
  if (!day_of(text, &days)) return UNPARSED;
  i64 day = (i64)days * 86400000000LL;
  if (text.size == 10) {
    *micros = day;
    return between ? UNPARSED : PLAIN;
  }
  if (text.size < 19 || (text.size > 19 && between)) return UNPARSED;
  u8 found = text.at[10];
  if (between ? found != between : (found != 'T' && found != ' ')) return UNPARSED;
  if (text.at[13] != ':' || text.at[16] != ':') return UNPARSED;
  int hour = digits_at(text, 11, 2), minute = digits_at(text, 14, 2);
  int second = digits_at(text, 17, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59)
    return UNPARSED;
  i64 fraction = 0;
  if (text.size > 19) {
    int digits = (int)text.size - 20;
    if (text.at[19] != '.' || digits < 1 || digits > 6) return UNPARSED;
    fraction = digits_at(text, 20, digits);
    if (fraction < 0) return UNPARSED;
    fraction *= power_of_ten(6 - digits);
  }
  *micros = day + ((hour * 60LL + minute) * 60 + second) * 1000000 + fraction;
  return PLAIN;
}
"""

DIVISION = r"""
enum Found { ZERO = 1, HIGH = 2, RETURN = 4, QUOTE = 8, ESCAPE = 16, WRONG = 32, EMPTY = 64 };

struct Marks {
  int separator, quote, escape;
};

struct Counts {
  int stops, feeds, quotes, found;
};

// What a chunk of the block has, where no quotes are.
HOST_DEVICE inline Counts survey_of(const u8* at, i64 size, Marks marks) {
  Counts n = {0, 0, 0, 0};
  for (i64 i = 0; i < size; ++i) {
    int c = at[i];
    n.feeds += c == '\n';
    n.stops += c == '\n' || c == marks.separator;
    n.quotes += c == marks.quote;
    n.found |= c == 0 ? ZERO : c >= 0x80 ? HIGH : c == '\r' ? RETURN : 0;
    n.found |= (c == marks.quote ? QUOTE : 0) | (c == marks.escape ? ESCAPE : 0);
  }
  return n;
}

// Calls `stop` with the position of each LF and separator outside of quotes, and returns what is
// wrong with the quotes of a chunk: they stand around whole fields. `inside`: it starts in quotes.
template <typename Stop>
HOST_DEVICE inline int divide(const u8* block, i64 size, i64 from, i64 to, Marks marks, bool inside,
                              Stop stop) {
  int found = 0;
  for (i64 i = from; i < to; ++i) {
    int c = block[i];
    if (c == marks.quote) {
      int before = i ? block[i - 1] : '\n', after = i + 1 < size ? block[i + 1] : '\n';
      if (inside) {
        if (after != marks.separator && after != '\n' && after != '\r') found |= WRONG;
        if (before == marks.quote) found |= EMPTY;
      } else if (before != marks.separator && before != '\n') {
        found |= WRONG;
      }
      inside = !inside;
    } else if (c == '\n' && inside) {
      found |= WRONG;
    } else if (!inside && (c == '\n' || c == marks.separator)) {
      stop(i);
    }
  }
  return found;
}
"""

CHUNK_BYTES = 64
"""A thread divides so many bytes."""

_CHUNK = r"""
  i64 chunk = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (chunk >= chunks) return;
  i64 from = chunk * 64, to = from + 64 < size ? from + 64 : size;
  Marks marks = {(int)separator, (int)quote, (int)escape};
"""

_DIVISION_KERNELS = (
    r"""
__device__ inline void add_found(int* all, int found) {
  if (found && (*(volatile int*)all & found) != found) atomicOr(all, found);
}

extern "C" __global__ void survey_chunks(const u8* block, i64 size, i64 chunks, i64 separator,
                                         i64 quote, i64 escape, int* all, int* stops, int* feeds,
                                         int* quotes) {"""
    + _CHUNK
    + r"""
  Counts n = survey_of(block + from, to - from, marks);
  add_found(all, n.found);
  stops[chunk] = n.stops;
  feeds[chunk] = n.feeds;
  quotes[chunk] = n.quotes;
}

// `before`: quotes before each chunk.
extern "C" __global__ void count_stops(const u8* block, i64 size, i64 chunks, i64 separator,
                                       i64 quote, i64 escape, int* all, const int* before,
                                       int* stops) {"""
    + _CHUNK
    + r"""
  int count = 0;
  auto stop = [&](i64) { ++count; };
  add_found(all, divide(block, size, from, to, marks, before[chunk] & 1, stop));
  stops[chunk] = count;
}

// `after`: stops up to and with each chunk, `own` those of the chunk.
extern "C" __global__ void write_stops(const u8* block, i64 size, i64 chunks, i64 separator,
                                       i64 quote, i64 escape, const int* before, const int* after,
                                       const int* own, int* positions) {"""
    + _CHUNK
    + r"""
  int* at = positions + after[chunk] - own[chunk];
  auto stop = [&](i64 position) { *at++ = (int)position; };
  divide(block, size, from, to, marks, before[chunk] & 1, stop);
}
"""
)

_ROW = r"""
  i64 row = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  Text text = {characters + starts[row], ends[row] - starts[row]};
  Word null_word = {word, word_size};
"""

_ARGUMENTS = (
    "const u8* characters, const int* starts, const int* ends, i64 rows, "
    "const u8* word, i64 word_size, u8* states"
)


def _reader(name: str, type_: str, parameters: str, call: str) -> str:
    return (
        f'extern "C" __global__ void {name}({_ARGUMENTS}, {type_}* values{parameters}) {{{_ROW}'
        f"  if (is_null(text, null_word)) {{ states[row] = NULL_TEXT; values[row] = 0; return; }}\n"
        f"  states[row] = {call};\n}}\n"
    )


def _integer_reader(name: str, type_: str) -> str:
    return _reader(
        name,
        type_,
        ", i64 low, i64 high",
        "[&] { i64 value; State state = integer_of(text, low, high, &value); "
        f"values[row] = ({type_})value; return state; }}()",
    )


SOURCE = (
    "#define HOST_DEVICE __host__ __device__\n"
    + FUNCTIONS
    + DIVISION
    + _DIVISION_KERNELS
    + _integer_reader("read_byte", "signed char")
    + _integer_reader("read_short", "short")
    + _integer_reader("read_integer", "int")
    + _integer_reader("read_long", "i64")
    + _reader(
        "read_decimal",
        "i64",
        ", i64 precision, i64 scale",
        "decimal_of(text, (int)precision, (int)scale, values + row)",
    )
    + _reader("read_double", "double", "", "double_of(text, values + row)")
    + _reader("read_boolean", "u8", "", "boolean_of(text, values + row)")
    + _reader("read_date", "int", "", "date_of(text, values + row)")
    + _reader(
        "read_timestamp", "i64", ", i64 between", "timestamp_of(text, (u8)between, values + row)"
    )
    + f'extern "C" __global__ void measure_texts({_ARGUMENTS}, int* sizes) {{{_ROW}'
    r"""  bool none = is_null(text, null_word);
  states[row] = none ? NULL_TEXT : PLAIN;
  sizes[row] = none ? 0 : (int)text.size;
}

extern "C" __global__ void copy_texts(const u8* characters, const int* starts, i64 rows,
                                      const int* offsets, u8* target) {
  i64 row = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const u8* source = characters + starts[row];
  u8* at = target + offsets[row];
  int size = offsets[row + 1] - offsets[row];
  for (int i = 0; i < size; ++i) at[i] = source[i];
}
"""
)
