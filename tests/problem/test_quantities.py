"""Numbers with a unit, in percent, or in thousands: in the metric's unit, or refused with what they may mean."""

import pytest

import satisfice as sf
from satisfice.cli.parse import numbers_of, seconds_of
from satisfice.errors import InvalidCommand, InvalidThreshold
from satisfice.problem.metric import as_metric
from satisfice.problem.quantities import MEASURED_SECONDS, unit_of

READ = {
    "wall_time <= 500ms": "wall_time <= 0.5 : checked",
    "wall_time <= 70 ms ~ 5ms": "wall_time <= 0.07 ~ 0.005 : checked",
    "wall_time <= 2min ~ 10%": "wall_time <= 120 ~ 12 : checked",
    "wall_time <= 1s : bounded(0, 1min)": "wall_time <= 1 : bounded(0, 60)",
    "wall_time <= 1s : normal(20ms)": "wall_time <= 1 : normal(0.02)",
    "user_time <= 300us": "user_time <= 0.0003 : checked",
    "p95(wall_time) <= 200ms ~ 10ms": "p95(wall_time) <= 0.2 ~ 0.01",
    "share(wall_time <= 200ms) >= 99% ~ 0.005": "share(wall_time <= 0.2) >= 0.99 ~ 0.005",
    "share(wall_time <= baseline + 5ms) >= 50% ~ 0.1": "share(wall_time <= baseline + 0.005) >= 0.5 ~ 0.1",
    "clip(wall_time, 2s) <= 500ms": "clip(wall_time, 2) <= 0.5 : checked",
    "geomean(wall_time) <= 500ms": "geomean(wall_time) <= 0.5 : checked",
    "wall_time <= baseline + 500ms ~ 100ms": "wall_time <= baseline + 0.5 ~ 0.1 : checked",
    "wall_time <= baseline + 3% ~ 1%": "wall_time <= baseline + 3% ~ 1% : checked",
    "latency_p99_ms <= 1.5s": "latency_p99_ms <= 1500 : checked",
    "read_lat_ns_mean <= 2ms": "read_lat_ns_mean <= 2e+06 : checked",
    "size_mb <= 1.5GB": "size_mb <= 1500 : checked",
    "size_bytes <= 4KiB": "size_bytes <= 4096 : checked",
    "requests_per_second >= 10k ~ 1k": "requests_per_second >= 10000 ~ 1000 : checked",
    "latency <= 1k": "latency <= 1000 : checked",
    "loss <= 1% ~ 0.005 : bernoulli": "loss <= 0.01 ~ 0.005 : bernoulli",
    "loss <= 1% : bounded(0, 1)": "loss <= 0.01 : bounded(0, 1)",
    "loss <= 1% : independent": "loss <= 0.01 : independent",
    "accuracy >= 85% : bernoulli of 500": "accuracy >= 0.85 : bernoulli of 500",
    "lost_percent <= 1%": "lost_percent <= 1 : checked",
    "latency <= 5 : checked(5%)": "latency <= 5 : checked(0.05)",
}


@pytest.mark.parametrize(("text", "plain"), READ.items())
def test_what_is_written_with_a_unit_is_kept_as_a_plain_number(text, plain):
    metric = as_metric(text)
    assert metric == as_metric(plain)
    assert str(metric) == plain
    assert as_metric(metric.exact()) == metric


REFUSED = {
    "latency <= 500ms": "the unit of latency is not known; write 500 if in ms, 0.5 if in s",
    "mean <= 40s": "write 40 if in s, 40000 if in ms (hyperfine and pytest-benchmark report s, k6 ms)",
    "size <= 5MB": "the unit of size is not known; write 5 if in MB, 5e+06 if in B",
    "loss <= 1%": "write 0.01 if loss is reported as a share, 1 if in percent",
    "loss <= 0.1 ~ 0.01 : bounded(0, 100%)": "write 1 if loss is reported as a share, 100 if in percent",
    "share(cpu <= 90%) >= 0.9": "write 0.9 if cpu is reported as a share, 90 if in percent",
    "share(x <= 9) >= 99% ~ 1%": "write 0.0099 for 1% of the limit, 0.01 for 1% more or less",
    "share(x_ms <= 9) >= 5ms": "it has no unit",
    "size_mb <= 4G": "size_mb is in MB: write the unit out, as in 4GB, or a plain number",
    "wall_time <= 5MB": "wall_time is in s, which MB is no measure of",
    "wall_time <= 5 : checked(5ms)": "it has no unit",
    "geomean(wall_time) <= 1 : spread(5ms)": "it has no unit",
    "wall_time <= 5 ~ 5ms%": "it has no unit",
    "x <= 40req/s": "satisfice does not know the unit 'req/s'",
    "x <= 1e308k": "it is too large or too small a number",
    "wall_time <= 1e99999999999999999999ms": "it is too large or too small a number",
}


@pytest.mark.parametrize(("text", "sentence"), REFUSED.items())
def test_what_may_mean_two_things_is_refused_with_the_right_numbers(text, sentence):
    with pytest.raises(InvalidThreshold) as refused:
        as_metric(text)
    assert sentence in str(refused.value)


def test_units_by_name():
    assert {unit_of(name) for name in MEASURED_SECONDS} == {"s"}
    assert [unit_of(name) for name in ("seconds", "times_ns", "BM_Sort/1024.real_time_ns", "max_rss_mb")] == [
        *("s", "ns", "ns", "MB"),
    ]
    assert [unit_of(name) for name in ("latency", "bytes_per_second", "http_req_duration.p95", "latency_min")] == [
        None
    ] * 4


def test_a_study_opened_again_asks_the_same(tmp_path):
    address = f"sqlite:///{tmp_path / 'units.db'}"
    made = sf.create_study(["a"], ["wall_time <= baseline + 500ms", "p95(x_ms) <= 1s"], baseline="b", storage=address)
    assert sf.load_study(address).problem == made.problem
    assert sf.load_study(address).spec.thresholds == ("wall_time <= baseline + 0.5 : checked", "p95(x_ms) <= 1000")


@pytest.mark.parametrize(
    ("text", "seconds"), [("500ms", 0.5), ("90", 90.0), (2, 2.0), ("1.5 h", 5400.0), ("2min", 120.0)]
)
def test_times_on_the_command_line(text, seconds):
    assert seconds_of(text, "--timeout") == seconds


def test_values_on_the_command_line_are_in_the_unit_of_their_metric():
    assert numbers_of(["wall_time=500ms", "x_ms=1s", "y=2k"], "--worst") == {
        "wall_time": 0.5,
        "x_ms": 1000.0,
        "y": 2000.0,
    }
    with pytest.raises(InvalidCommand, match=r"got x=1s: the unit of x is not known; write 1 if in s, 1000 if in ms"):
        numbers_of(["x=1s"], "--worst")
