"""Sources of random functions, made of what is traced and of a little that is not."""

from __future__ import annotations

import random

CONSTANTS = ("0", "1", "-1", "2", "3", "7", "10", "-4", "100", "0.5", "1.5", "-2.25", "0.1", "1e6")
DTYPES = ("int", "float", "'int32'", "'float32'", "'int8'")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class Writer:
    """Writes expressions over the names of numeric arguments."""

    def __init__(self, seed: int, *numbers: str) -> None:
        self.random = random.Random(seed)
        self.numbers = numbers

    def choose(self, *options: str) -> str:
        return self.random.choice(options)

    def integer(self) -> str:
        return self.choose("0", "1", "2", "5", "-3", "100")


class PandasWriter(Writer):
    def number(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.1:
            return self.choose(*self.numbers)
        left, right = self.number(depth - 1), self.number(depth - 1)
        constant = self.choose(*CONSTANTS)
        condition = self.condition(depth - 1)
        return self.choose(
            f"({left} {self.choose('+', '-', '*', '/', '//', '%')} {right})",
            f"({left} {self.choose('+', '-', '*', '/', '//', '%')} {constant})",
            f"({constant} {self.choose('+', '-', '*', '/')} {left})",
            f"(-{left})",
            f"({left} ** 2)",
            f"{left}.fillna({constant})",
            f"{left}.fillna({right})",
            f"{left}.abs()",
            f"{left}.round({self.choose('0', '1', '2')})",
            f"{left}.clip({self.integer()}, {self.integer()})",
            f"{left}.clip(lower={self.choose(*CONSTANTS)})",
            f"{left}.where({condition}, {right})",
            f"{left}.where({condition})",
            f"{left}.mask({condition}, {constant})",
            f"{left}.astype({self.choose(*DTYPES)})",
            f"pd.Series(np.where({condition}, {left}, {right}))",
            f"pd.Series(np.where({condition}, {left}, {constant}))",
            f"pd.Series(np.where({condition}, {left}, np.nan))",
            f"pd.Series(np.select([{condition}, {condition}], [{left}, {right}], {constant}))",
            f"np.{self.choose('sqrt', 'floor', 'ceil', 'trunc', 'rint', 'sign', 'abs')}({left})",
            f"np.{self.choose('maximum', 'minimum')}({left}, {self.choose(right, constant)})",
            f"{condition}.astype(int)",
            f"({condition} * {left})",
        )

    def condition(self, depth: int) -> str:
        left = self.number(max(depth - 1, 0))
        if depth <= 0:
            return f"({left} {self.choose(*COMPARISONS)} {self.choose(*CONSTANTS)})"
        right, condition = self.number(depth - 1), self.condition(depth - 1)
        return self.choose(
            f"({left} {self.choose(*COMPARISONS)} {right})",
            f"({left} {self.choose(*COMPARISONS)} {self.choose(*CONSTANTS)})",
            f"({condition} {self.choose('&', '|', '^')} {self.condition(depth - 1)})",
            f"(~{condition})",
            f"{left}.{self.choose('isna', 'notna')}()",
            f"{left}.between({self.integer()}, {self.integer()})",
            f"np.{self.choose('isnan', 'isinf', 'isfinite')}({left})",
            f"{left}.isin([1, 2, 5])",
        )


class PythonWriter(Writer):
    def number(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.1:
            return self.choose(*self.numbers)
        left, right = self.number(depth - 1), self.number(depth - 1)
        constant = self.choose(*CONSTANTS)
        condition = self.condition(depth - 1)
        return self.choose(
            f"({left} {self.choose('+', '-', '*', '/', '//', '%')} {right})",
            f"({left} {self.choose('+', '-', '*', '/', '//', '%')} {constant})",
            f"({constant} {self.choose('+', '-', '*', '/', '%')} {left})",
            f"(-{left})",
            f"({left} ** {self.choose('2', '3', '0')})",
            f"abs({left})",
            f"round({left})",
            f"int({left})",
            f"float({left})",
            f"{self.choose('min', 'max')}({left}, {self.choose(right, constant)})",
            f"({left} if {condition} else {right})",
            f"({left} if {condition} else {constant})",
            f"({left} or {right})",
            f"({left} and {right})",
            f"math.{self.choose('floor', 'ceil', 'trunc', 'fabs', 'sqrt')}({left})",
            f"({constant} if {self.choose(*self.numbers)} is None else {left})",
        )

    def condition(self, depth: int) -> str:
        left = self.number(max(depth - 1, 0))
        right = self.number(max(depth - 1, 0))
        operators = self.choose(*COMPARISONS), self.choose(*COMPARISONS)
        if depth <= 0:
            return f"({left} {operators[0]} {self.choose(*CONSTANTS)})"
        condition = self.condition(depth - 1)
        return self.choose(
            f"({left} {operators[0]} {right})",
            f"({left} {operators[0]} {right} {operators[1]} {self.choose(*CONSTANTS)})",
            f"({condition} {self.choose('and', 'or')} {self.condition(depth - 1)})",
            f"(not {condition})",
            f"({left} is {self.choose('', 'not ')}None)",
            f"({left} in (1, 2, 0.5))",
            f"math.{self.choose('isnan', 'isinf', 'isfinite')}({left})",
        )
