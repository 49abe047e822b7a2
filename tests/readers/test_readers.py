"""Readers: of what tools of this machine print, and of what others document."""

import json
import shutil
import socket
import subprocess
import sys
import time
from functools import partial

import pytest

import satisfice as sf
from satisfice.cli import main
from satisfice.command.output import last_object
from satisfice.errors import BrokenContract, EvaluationFailed, IncompleteRule, UnknownName
from satisfice.readers import READERS, Printed, recognised, resolve_reader
from satisfice.testing import check_reader
from tests.readers import printed as texts

WRITTEN = {
    "k6": [texts.K6_SUMMARY_EXPORT, texts.K6_HANDLE_SUMMARY, texts.K6_LINES],
    "wrk": [texts.WRK],
    "vegeta": [texts.VEGETA_REPORT, texts.VEGETA_LINES],
    "pytest-benchmark": [texts.PYTEST_BENCHMARK],
    "google-benchmark": [texts.GOOGLE_BENCHMARK],
    "criterion": [texts.CRITERION_MESSAGES, texts.CRITERION_TEXT],
}
CASES = [
    pytest.param(name, text, id=f"{name}-{place}") for name, some in WRITTEN.items() for place, text in enumerate(some)
]


def printed(text):
    return Printed(text, last_object(text))


def read(text):
    name, reader = recognised(printed(text))
    return name, reader.metrics(printed(text))


def needs(program):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed: apt-get install it to run this test")
    return program


def output_of(*words):
    done = subprocess.run([needs(words[0]), *words[1:]], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("name", "text"), CASES)
def test_a_reader_keeps_the_contract_and_its_output_is_recognised(name, text):
    check_reader(name, text)
    assert recognised(printed(text))[0] == name


def test_every_reader_is_tested():
    assert {*WRITTEN, "hyperfine", "fio", "ab", "iperf3", "sysbench"} == set(READERS)


def test_summaries_of_k6():
    _, metrics = read(texts.K6_SUMMARY_EXPORT)
    assert metrics["http_req_duration.p95"] == 216.0
    assert metrics["http_req_failed.rate"] == 0.05
    assert metrics["http_req_duration_expected_response_true.p99.9"] == 900.0
    _, metrics = read(texts.K6_HANDLE_SUMMARY)
    assert (metrics["http_req_duration.avg"], metrics["http_req_failed.rate"]) == (20.5, 0.1)


def test_lines_of_k6_are_lists_and_counters_sums():
    assert read(texts.K6_LINES) == ("k6", {"http_reqs": 2, "http_req_duration": [12.5, 30.25]})


def test_wrk_in_milliseconds_and_bytes():
    _, metrics = read(texts.WRK)
    assert metrics["latency_mean_ms"] == pytest.approx(0.63591)
    assert (metrics["latency_p99_ms"], metrics["requests_per_second"]) == (5.8, 748868.53)
    assert (metrics["socket_errors"], metrics["failed_responses"]) == (6, 7)
    assert metrics["bytes_per_second"] == pytest.approx(606.33 * 2**20)


def test_vegeta():
    _, metrics = read(texts.VEGETA_REPORT)
    assert (metrics["latency_p99_ns"], metrics["success"], metrics["bytes_in_mean"]) == (3530000, 0.99, 6067)
    _, metrics = read(texts.VEGETA_LINES)
    assert metrics == {
        "latency_ns": [2000000, 9000000, 1500000],
        "success": [1.0, 0.0, 1.0],
        "requests": 3.0,
        "failed": {"count": 1, "of": 3},
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param(name, text, id=f"{name}-{place}")
        for name, some in texts.DEAD.items()
        for place, text in enumerate(some)
    ],
)
def test_what_measured_nothing_is_a_failure_and_no_latency_of_0(name, text):
    assert recognised(printed(text))[0] == name
    with pytest.raises(EvaluationFailed, match="reports a failure"):
        read(text)


def test_why_nothing_was_measured():
    with pytest.raises(EvaluationFailed, match=r"wrk reports a failure: no request was answered, so there is nothing"):
        read(texts.WRK_SILENT)
    with pytest.raises(EvaluationFailed, match=r"wrk reports a failure: of 56,048 requests all failed"):
        read(texts.WRK_500)


@pytest.mark.parametrize(
    ("text", "metric", "count"),
    [
        (texts.WRK, "failed", {"count": 3 + 1 + 2 + 7, "of": 22464657 + 3 + 1}),
        (texts.AB_HALF, "failed", {"count": 10, "of": 20}),
        (texts.VEGETA_REPORT, "failed", {"count": 1, "of": 100}),
        (texts.K6_SUMMARY_EXPORT, "http_req_failed", {"count": 9, "of": 180}),
        (texts.K6_HANDLE_SUMMARY, "http_req_failed", {"count": 1, "of": 10}),
    ],
)
def test_failed_requests_are_counted_among_those_made(text, metric, count):
    assert read(text)[1][metric] == count
    for limit in (f"{metric} <= 0.6 ~ 0.1 : independent", f"share({metric} >= 1) <= 0.6 ~ 0.1"):
        sf.Search(sf.problem_of([limit]), ["a"]).tell("a", read(text)[1])


def test_a_request_of_k6_without_an_answer_took_no_time_that_was_measured():
    _, metrics = read(texts.k6_lines((12.5, "200"), (0, "0"), (8.0, "500"), (60000, "0")))
    assert metrics == {"http_req_duration": [12.5, 8.0, 60000], "http_req_failed": [0.0, 1.0, 1.0, 1.0]}


def test_packets_that_did_not_arrive_have_no_jitter_and_no_share_that_was_lost():
    document = json.loads(texts.IPERF3_NOTHING)
    document["end"]["sum_sent"] |= {"bytes": 32768, "bits_per_second": 262110.97}
    _, metrics = read(json.dumps(document))
    assert metrics["sent_bits_per_second"] == 262110.97
    assert not {"jitter_ms", "lost_percent", "received_bits_per_second"} & set(metrics)


def test_what_a_tool_prints_as_nan_has_no_name():
    runs = [
        {"name": "BM", "real_time": 2.0, "time_unit": "ns", "rate": rate, "bytes": 3.0} for rate in (1.0, float("nan"))
    ]
    assert "rate" not in read(json.dumps({"benchmarks": runs[1:]}))[1]
    assert read(json.dumps({"benchmarks": runs}))[1] == {
        **{"BM.real_time_ns": [2.0, 2.0], "BM.bytes": [3.0, 3.0]},
        **{"real_time_ns": [2.0, 2.0], "bytes": [3.0, 3.0]},
    }


def test_benchmarks_have_names_where_there_are_several():
    _, metrics = read(texts.PYTEST_BENCHMARK)
    assert metrics["test_sort_10.times"] == [0.001, 0.002, 0.003]
    assert metrics["test_hash.mean"] == 2e-6
    assert "mean" not in metrics


def test_repetitions_are_a_list_without_their_aggregates():
    _, metrics = read(texts.GOOGLE_BENCHMARK)
    assert metrics["real_time_ns"] == metrics["BM_Sort/1024.real_time_ns"] == [2000.0, 3000.0]


def test_criterion_by_messages_and_by_lines():
    _, metrics = read(texts.CRITERION_MESSAGES)
    assert metrics["norm.times_ns"] == metrics["times_ns"] == [4140.0, 4150.0]
    assert metrics["mean_ns"] == 4145.0
    _, metrics = read(texts.CRITERION_TEXT)
    assert metrics["fib_20.time_ns"] == pytest.approx(26251)
    assert metrics["a_benchmark_with_a_very_long_name/1024.time_high_ns"] == pytest.approx(1.505e6)


def test_hyperfine_itself():
    text = output_of("hyperfine", "-N", "--runs", "3", "--export-json", "/dev/stdout", "true")
    check_reader("hyperfine", text)
    name, metrics = read(text)
    assert name == "hyperfine"
    assert len(metrics["times"]) == 3
    assert min(metrics["times"]) == metrics["min"] <= metrics["mean"] <= metrics["max"]


def test_fio_itself(tmp_path):
    text = output_of(
        *("fio", "--name=probe", "--rw=randread", "--size=256k", "--runtime=1", f"--filename={tmp_path / 'data'}"),
        "--output-format=json",
    )
    check_reader("fio", text)
    name, metrics = read(text)
    assert name == "fio"
    assert metrics["read_iops"] > 0
    assert metrics["read_clat_ns_p99"] >= metrics["read_clat_ns_p50"]
    assert not any(metric.startswith("write") for metric in metrics)


def test_sysbench_itself():
    text = output_of("sysbench", "cpu", "--time=0", "--events=20", "run")
    check_reader("sysbench", text)
    name, metrics = read(text)
    assert (name, metrics["events"]) == ("sysbench", 20)
    assert metrics["latency_min_ms"] <= metrics["latency_mean_ms"] <= metrics["latency_max_ms"]
    _, memory = read(output_of("sysbench", "memory", "--memory-total-size=1M", "run"))
    assert memory["operations_per_second"] > 0
    assert memory["mib_per_second"] > 0


@pytest.fixture
def server(tmp_path):
    """A web server of this machine."""
    started = subprocess.Popen(
        [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "-d", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    yield started.stdout.readline().split("(")[1].split(")")[0]
    started.terminate()
    started.wait()
    started.stdout.close()


def test_ab_itself(server):
    text = output_of("ab", "-n", "20", "-c", "2", server)
    check_reader("ab", text)
    name, metrics = read(text)
    assert (name, metrics["complete_requests"], metrics["failed_requests"]) == ("ab", 20, 0)
    assert metrics["latency_p50_ms"] <= metrics["latency_p99_ms"] <= metrics["latency_max_ms"]


def test_wrk_itself(server):
    _, metrics = read(output_of("wrk", "-t1", "-c1", "-d1s", "--latency", server))
    assert metrics["requests"] > 0
    assert metrics["latency_p50_ms"] <= metrics["latency_p99_ms"]


@pytest.fixture
def silent():
    """The address of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"


def test_wrk_of_a_server_that_never_answers(silent):
    with pytest.raises(EvaluationFailed, match="wrk reports a failure: no request was answered"):
        read(output_of("wrk", "-t1", "-c1", "-d1s", "--latency", silent))


def test_a_study_of_a_server_that_never_answers_is_an_error_and_never_found(silent, capsys, monkeypatch):
    limit = "latency_p99_ms <= 20 ~ 2 : bounded(0, 50)"
    words = ["satisfice", "run", "--config", "server", "-t", limit, "--storage", "memory", "--quiet", "--"]
    monkeypatch.setattr(sys, "argv", [*words, needs("wrk"), "-t1", "-c1", "-d1s", "--latency", silent])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    said = capsys.readouterr()
    assert "FOUND" not in said.out
    assert "no request was answered" in said.err


def measured_by_iperf3():
    """What the client prints once the server answers, or none; with -J it ends with 0 where it cannot connect, too."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    quiet = partial(subprocess.Popen, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    words = ["iperf3", "-c", "127.0.0.1", "-p", port, "-J", "-n", "1M"]
    with quiet(["iperf3", "-s", "-B", "127.0.0.1", "-p", port]) as server:
        for _ in range(200):
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if '"error"' not in done.stdout or server.poll() is not None:
                break
            time.sleep(0.05)
        server.terminate()
    return None if '"error"' in done.stdout else done.stdout


def test_iperf3_itself():
    needs("iperf3")
    printed = next(filter(None, (measured_by_iperf3() for _ in range(5))), None)  # somebody may take the port first
    assert printed is not None, "five servers, and none that answered"
    check_reader("iperf3", printed)
    name, metrics = read(printed)
    assert name == "iperf3"
    assert metrics["sent_bits_per_second"] > 0


def test_what_a_tool_says_of_its_failure_is_a_failure():
    with pytest.raises(EvaluationFailed, match=r"iperf3 reports a failure: unable to connect"):
        read('{"start": {}, "intervals": [], "end": {}, "error": "unable to connect"}')


def test_strange_output_is_not_recognised():
    assert recognised(printed("all is well")) is None
    assert (
        recognised(printed('{"results": [1], "jobs": 2, "benchmarks": [{"stats": 1}], "metrics": {"vus": 1}}')) is None
    )


def test_names_that_there_are_not():
    with pytest.raises(UnknownName, match=r"No reader is called 'hyperfin'\. Did you mean 'hyperfine'"):
        resolve_reader("hyperfin")
    with pytest.raises(IncompleteRule, match="lacks recognises and metrics"):
        resolve_reader("collections:Counter")


class Greedy:
    """Takes anything for its own."""

    def recognises(self, printed):
        return True

    def metrics(self, printed):
        return {"a": 1.0}


class Empty:
    """Gives a number that was not measured."""

    def recognises(self, printed):
        return printed.text.startswith("mine")

    def metrics(self, printed):
        return {"p95": float("nan")}


class Careless:
    """Gives a name that no threshold can have."""

    def recognises(self, printed):
        return printed.text.startswith("mine")

    def metrics(self, printed):
        return {"p 95": 1.0}


def test_the_contract_can_be_broken():
    with pytest.raises(BrokenContract, match="recognises ''"):
        check_reader(Greedy(), "mine")
    with pytest.raises(BrokenContract, match="cannot stand in a threshold"):
        check_reader(Careless(), "mine")
    with pytest.raises(BrokenContract, match="gives nan for 'p95': expected a finite number"):
        check_reader(Empty(), "mine")
    with pytest.raises(BrokenContract, match="does not recognise"):
        check_reader("wrk", "mine")
