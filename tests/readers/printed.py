"""What tools print that are not installed here, made after their documented formats."""

import json

K6_SUMMARY_EXPORT = json.dumps(
    {
        "root_group": {"name": "", "checks": {}},
        "metrics": {
            "http_reqs": {"count": 180, "rate": 4.5},
            "iterations": {"count": 90, "rate": 2.25},
            "http_req_duration": {
                "avg": 144.5,
                "min": 104.1,
                "med": 110.5,
                "max": 1140.2,
                "p(90)": 203.4,
                "p(95)": 216.0,
            },
            "http_req_duration{expected_response:true}": {"avg": 140.0, "p(99.9)": 900.0},
            "http_req_failed": {"passes": 9, "fails": 171, "value": 0.05, "thresholds": {"rate<0.1": False}},
            "vus": {"value": 1, "min": 1, "max": 10},
        },
    },
    indent=4,
)
K6_HANDLE_SUMMARY = "running (10s)\n" + json.dumps(
    {
        "root_group": {},
        "options": {"summaryTrendStats": ["avg", "p(95)"]},
        "state": {"isStdOutTTY": False, "testRunDurationMs": 1000.5},
        "metrics": {
            "http_req_duration": {
                "type": "trend",
                "contains": "time",
                "values": {"avg": 20.5, "med": 19.0, "p(95)": 31.0},
            },
            "http_req_failed": {
                "type": "rate",
                "contains": "default",
                "values": {"rate": 0.1, "passes": 1, "fails": 9},
            },
            "iterations": {"type": "counter", "contains": "default", "values": {"count": 10, "rate": 9.9}},
        },
    }
)
K6_LINES = "\n".join(
    json.dumps(line)
    for line in (
        {
            "type": "Metric",
            "data": {"name": "http_reqs", "type": "counter", "contains": "default"},
            "metric": "http_reqs",
        },
        {"metric": "http_reqs", "type": "Point", "data": {"time": "2026-01-01T00:00:00Z", "value": 1, "tags": {}}},
        {"type": "Metric", "data": {"name": "http_req_duration", "type": "trend"}, "metric": "http_req_duration"},
        {
            "metric": "http_req_duration",
            "type": "Point",
            "data": {"time": "2026-01-01T00:00:00Z", "value": 12.5, "tags": {}},
        },
        {"metric": "http_reqs", "type": "Point", "data": {"time": "2026-01-01T00:00:01Z", "value": 1, "tags": {}}},
        {
            "metric": "http_req_duration",
            "type": "Point",
            "data": {"time": "2026-01-01T00:00:01Z", "value": 30.25, "tags": {}},
        },
    )
)
WRK = """Running 30s test @ http://127.0.0.1:8080/index.html
  12 threads and 400 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   635.91us    0.89ms  12.92ms   93.69%
    Req/Sec    56.20k     8.07k   62.00k    86.54%
  Latency Distribution
     50%  250.00us
     75%  491.00us
     90%  700.00us
     99%    5.80ms
  22464657 requests in 30.00s, 17.76GB read
  Socket errors: connect 0, read 3, write 1, timeout 2
  Non-2xx or 3xx responses: 7
Requests/sec: 748868.53
Transfer/sec:    606.33MB
"""
VEGETA_REPORT = json.dumps(
    {
        "latencies": {
            **{"total": 237119463, "mean": 2371194, "50th": 2854306, "90th": 3228223, "95th": 3478629},
            **{"99th": 3530000, "max": 3660505, "min": 1949582},
        },
        "bytes_in": {"total": 606700, "mean": 6067},
        "bytes_out": {"total": 0, "mean": 0},
        **{"earliest": "2026-01-01T00:00:00Z", "latest": "2026-01-01T00:00:01Z", "end": "2026-01-01T00:00:01Z"},
        **{
            "duration": 990000000,
            "wait": 1949582,
            "requests": 100,
            "rate": 101.01,
            "throughput": 99.8,
            "success": 0.99,
        },
        **{"status_codes": {"200": 99, "0": 1}, "errors": ["connection refused"]},
    }
)
VEGETA_LINES = "\n".join(
    json.dumps(
        {"attack": "", "seq": seq, "code": code, "timestamp": "2026-01-01T00:00:00Z", "latency": ns, "error": error}
    )
    for seq, (code, ns, error) in enumerate([(200, 2000000, ""), (503, 9000000, "503"), (304, 1500000, "")])
)
PYTEST_BENCHMARK = "collected 2 items\n" + json.dumps(
    {
        **{
            "machine_info": {"node": "bench"},
            "commit_info": {"id": "abc"},
            "datetime": "2026-01-01",
            "version": "5.1.0",
        },
        "benchmarks": [
            {
                **{
                    "group": None,
                    "name": "test_sort[10]",
                    "fullname": "test_it.py::test_sort[10]",
                    "params": {"n": 10},
                },
                "stats": {
                    **{"min": 0.001, "max": 0.004, "mean": 0.002, "stddev": 0.0005, "rounds": 3, "median": 0.0019},
                    **{"iqr": 0.0001, "outliers": "1;0", "ops": 500.0, "total": 0.006, "iterations": 1},
                    "data": [0.001, 0.002, 0.003],
                },
            },
            {"name": "test_hash", "stats": {"min": 1e-6, "mean": 2e-6, "rounds": 9}},
        ],
    },
    indent=4,
)
GOOGLE_BENCHMARK = json.dumps(
    {
        "context": {"date": "2026-01-01", "num_cpus": 8, "library_build_type": "release"},
        "benchmarks": [
            {
                **{"name": "BM_Sort/1024", "run_name": "BM_Sort/1024", "run_type": "iteration", "repetitions": 2},
                **{"repetition_index": place, "threads": 1, "iterations": 1000, "real_time": time, "cpu_time": 1.5},
                **{"time_unit": "us", "items_per_second": 5e8},
            }
            for place, time in enumerate([2.0, 3.0])
        ]
        + [
            {
                **{"name": "BM_Sort/1024_mean", "run_name": "BM_Sort/1024", "run_type": "aggregate"},
                **{"aggregate_name": "mean", "iterations": 2, "real_time": 2.5, "cpu_time": 1.5, "time_unit": "us"},
            }
        ],
    },
    indent=2,
)
CRITERION_MESSAGES = "\n".join(
    json.dumps(line)
    for line in (
        {
            **{"reason": "benchmark-complete", "id": "norm", "report_directory": "target/criterion/reports/norm"},
            **{"iteration_count": [30, 60], "measured_values": [124200.0, 249000.0], "unit": "ns", "throughput": []},
            "typical": {"estimate": 4145.0, "lower_bound": 4100.0, "upper_bound": 4200.0, "unit": "ns"},
            "mean": {"estimate": 4.145, "lower_bound": 4.1, "upper_bound": 4.2, "unit": "us"},
            "median": {"estimate": 4144.0, "lower_bound": 4100.0, "upper_bound": 4200.0, "unit": "ns"},
            "slope": None,
        },
        {"reason": "group-complete", "group_name": "norm", "benchmarks": ["norm"], "report_directory": "target"},
    )
)
CRITERION_TEXT = """Benchmarking fib 20: Collecting 100 samples in estimated 5.1 s
fib 20                  time:   [26.029 µs 26.251 µs 26.505 µs]
Found 11 outliers among 99 measurements (11.11%)

a benchmark with a very long name/1024
                        time:   [1.0290 ms 1.2510 ms 1.5050 ms]
"""
