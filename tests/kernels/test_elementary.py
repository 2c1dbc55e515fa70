"""Elementary functions: values of Java's StrictMath where the C library has another last digit.

Ours may differ from it by two units in the last place, but for special values.
"""

from __future__ import annotations

import math

import pytest

from broadhead.kernels.interface import Kernels
from broadhead.types import DOUBLE
from kernels.physical import check

NAN, INF = math.nan, math.inf
OF_ONE: dict[str, list[tuple[float, float]]] = {
    "exp": [(-1.1874211478627679, 0.30500681820235553),
            (-373.2597567315305, 7.858638923513518e-163),
            (710.0, INF), (-746.0, 0.0), (-INF, 0.0), (NAN, NAN), (-0.0, 1.0)],
    "expm1": [(244.3343811473807, 1.2973987392068006e106),
              (-0.3772218635789324, -0.3142360890186531), (-INF, -1.0), (710.0, INF), (-0.0, -0.0)],
    "log": [(0.884522587915668, -0.1227072282118579), (2.1289039969043073, 0.7556072918482641),
            (0.0, -INF), (-1.0, NAN), (INF, INF)],
    "log10": [(0.9999999829164372, -7.419297112852526e-09), (1000.0, 3.0),
              (-0.0, -INF), (-1.0, NAN)],
    "log1p": [(2.007439741273568, 1.1010891325142058), (0.025011692542208187, 0.024704019883559972),
              (-1.0, -INF), (-2.0, NAN), (INF, INF)],
    "cbrt": [(-400.0, -7.368062997280773), (1.6944852853987211, 1.1921912607585294), (27.0, 3.0),
             (-INF, -INF), (-0.0, -0.0)],
    "sinh": [(-1.001327269274337, -1.1772503129026053), (0.720697661070071, 0.7847271112595331),
             (711.0, INF), (-INF, -INF)],
    "cosh": [(579.9146914814476, 3.570429723879486e251), (-0.9012982073242263, 1.4344202249755438),
             (-711.0, INF), (0.0, 1.0)],
    "tanh": [(-0.6058584472515424, -0.5412051855182696),
             (-2.3329394376658312, -0.9813535343635501), (-INF, -1.0), (NAN, NAN)],
    "asin": [(0.7037387012103526, 0.7806462514447771), (-0.9402849693994788, -1.223466529031731),
             (1.0, math.pi / 2), (1.5, NAN)],
    "acos": [(-0.8510785445942392, 2.5888324336979758), (0.9987995977109916, 0.04900290862505887),
             (-1.0, math.pi), (-1.5, NAN)],
    "atan": [(-0.6285185624015408, -0.5611255172616274), (352.46534131473214, 1.567959176018236),
             (-INF, -math.pi / 2), (NAN, NAN)],
    "sin": [(1.0, 0.8414709848078965), (-math.pi, -1.2246467991473532e-16),
            (1e22, -0.8522008497671888), (INF, NAN), (NAN, NAN), (-0.0, -0.0)],
    "cos": [(1.0, 0.5403023058681398), (math.pi / 2, 6.123233995736766e-17),
            (1e22, 0.5232147853951389), (-INF, NAN), (0.0, 1.0)],
    "tan": [(1.0, 1.5574077246549023), (math.pi / 2, 1.633123935319537e16), (INF, NAN),
            (-0.0, -0.0)],
}  # fmt: skip
OF_TWO: dict[str, list[tuple[float, float, float]]] = {
    "pow": [(0.0019252953596541303, 97.63237379408025, 7.568879869266516e-266),
            (277200854.43058324, -29.728001568880284, 1.0294136865982264e-251),
            (-2.0, 3.0, -8.0), (-2.0, 0.5, NAN), (NAN, 0.0, 1.0), (1.0, INF, NAN),
            (1.0, NAN, NAN), (-1.0, -INF, NAN), (0.0, -1.0, INF), (-0.0, -3.0, -INF),
            (-INF, 0.5, INF), (2.0, -1075.0, 0.0)],
    "atan2": [(36630410.25796789, -32.5461497387908, 1.570797215295722),
              (-290.0, -1.7091202328783388e-267, -1.5707963267948968),
              (0.0, -1.0, math.pi), (INF, -INF, 3 * math.pi / 4), (NAN, 1.0, NAN)],
    "hypot": [(-930.0, 239.06185274151494, 960.2346429056837),
              (2.141466024936361, 572.3911195352661, 572.3951254156269),
              (NAN, INF, INF), (NAN, 1.0, NAN), (3e-320, 4e-320, 5e-320),
              (1.7976931348623157e308, 1e300, 1.7976931348623157e308)],
}  # fmt: skip


ULPS = 2


@pytest.mark.parametrize("name", OF_ONE)
def test_functions_of_one_number(k: Kernels, name: str) -> None:
    numbers = [number for number, _ in OF_ONE[name]]
    expected = [result for _, result in OF_ONE[name]]
    function = getattr(k.elementary, name)
    arguments = [([*numbers, None], DOUBLE)]
    check(k, function, arguments, DOUBLE, [*expected, None], ulps=ULPS)


@pytest.mark.parametrize("name", OF_TWO)
def test_functions_of_two_numbers(k: Kernels, name: str) -> None:
    left, right, expected = (list(column) for column in zip(*OF_TWO[name], strict=True))
    arguments = [([*left, None, 1.0], DOUBLE), ([*right, 1.0, None], DOUBLE)]
    function = getattr(k.elementary, name)
    check(k, function, arguments, DOUBLE, [*expected, None, None], ulps=ULPS)
