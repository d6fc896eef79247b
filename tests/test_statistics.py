"""Do the statistics say what the samples say? Medians, intervals, the clock's step, and what counts as the same."""

from __future__ import annotations

import numpy as np
import pytest

from schema.statistics import VISIT, Samples, resolution_us, twin_difference
from tests.fixture_results import TICK_US, Lab


def samples(*us: float) -> Samples:
    return Samples(np.array(us, dtype=np.float64))


def test_median_of_odd_and_even_counts() -> None:
    assert samples(3, 1, 2).median_us == 2
    assert samples(4, 1, 3, 2).median_us == 2.5
    assert samples(7).median_us == 7
    assert samples(3, 1, 2).count == 3


def test_order_of_the_samples_is_kept() -> None:
    taken = samples(3, 1, 2)
    assert list(taken.sorted_us) == [1, 2, 3]
    assert list(taken.us) == [3, 1, 2]


def test_the_interval_encloses_the_median_and_lies_on_samples() -> None:
    taken = samples(*range(501))  # no whole visits: each sample counts for itself
    low, high = taken.interval_us
    assert low < taken.median_us < high
    assert (low, high) == (228, 273)  # n/2 -+ 1.96 sqrt(n)/2, outwards
    assert taken.half_interval_us == 22.5


def test_samples_of_one_visit_count_once() -> None:
    taken = Samples(np.repeat(np.arange(50.0), VISIT))
    assert taken.interval_us == (18, 32)  # of the 50 visits
    assert taken.median_us == 24.5


def test_the_interval_covers_the_true_median_when_visits_differ_more_than_samples() -> None:
    random = np.random.default_rng(2)
    hits = 0
    for _ in range(400):
        visits = random.normal(10.0, 1.0, (50, 1)) + random.normal(0.0, 0.1, (50, VISIT))
        low, high = Samples(visits.ravel()).interval_us
        hits += low <= 10.0 <= high
    assert hits / 400 >= 0.93  # with each sample for itself it is about half


def test_the_interval_of_few_samples_stays_inside_them() -> None:
    assert samples(5).interval_us == (5, 5)
    assert samples(5, 6).interval_us == (5, 6)


def test_the_interval_covers_the_true_median_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    true = np.log(2)  # the median of the exponential distribution
    hits = 0
    for _ in range(400):
        low, high = Samples(random.exponential(1.0, 101)).interval_us
        hits += low <= true <= high
    assert hits / 400 >= 0.93


@pytest.mark.parametrize("us", [0.71, 8.0, 10.5, 80.0, 700.0])
def test_the_step_of_an_event_clock_is_found(us: float) -> None:
    step = TICK_US / 100
    found = Lab(seed=1).timed(us).samples.step_us
    assert found / step == pytest.approx(round(found / step), abs=0.02)  # whole ticks of the clock …
    assert round(found / step) <= max(3, us / 50)  # … and few of them, as long as samples lie close


def test_rounding_of_float32_event_times_is_no_step() -> None:
    random = np.random.default_rng(2)
    exact = 10.5 + 0.00032 * random.integers(0, 200, 500)
    rounded = (exact.astype(np.float32) * np.float32(1.0)).astype(np.float64)
    rounded[::2] = np.nextafter(rounded[::2].astype(np.float32), np.float32(100)).astype(np.float64)
    assert Samples(rounded).step_us == pytest.approx(0.00032, rel=0.02)


def test_samples_that_agree_have_no_step() -> None:
    assert samples(2, 2, 2).step_us == 0
    assert samples(2).step_us == 0


def test_resolution_is_the_largest_of_its_parts() -> None:
    flat, other = samples(*[10.0] * 50), samples(*[10.1] * 50)
    assert resolution_us(flat, other) == 0
    assert resolution_us(flat, other, twin_difference=0.02) == pytest.approx(0.202)
    coarse = samples(*[10.0] * 49, 10.5)
    assert resolution_us(coarse, flat) == resolution_us(flat, coarse) == 0.5  # the step
    wide = samples(*np.linspace(9, 11, 100))
    assert resolution_us(wide, wide) == pytest.approx(2 * wide.half_interval_us)


def test_twins_differ_by_a_fraction_whichever_comes_first() -> None:
    assert twin_difference(samples(10), samples(10.2)) == pytest.approx(0.02)
    assert twin_difference(samples(10.2), samples(10)) == pytest.approx(0.02)
    assert twin_difference(samples(10), samples(10)) == 0


def test_two_runs_of_one_kernel_are_the_same_and_two_rungs_are_not() -> None:
    lab = Lab(seed=5)
    first, second, slower = (lab.timed(us).samples for us in (10.5, 10.5, 14.0))
    twins = twin_difference(first, second)
    assert abs(first.median_us - second.median_us) <= resolution_us(first, second, twins)
    assert abs(first.median_us - slower.median_us) > resolution_us(first, slower, twins)
