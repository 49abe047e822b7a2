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
WRK_SILENT = """Running 1s test @ http://127.0.0.1:33819/
  1 threads and 2 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     0.00us    0.00us   0.00us    -nan%
    Req/Sec     0.00      0.00     0.00      -nan%
  Latency Distribution
     50%    0.00us
     75%    0.00us
     90%    0.00us
     99%    0.00us
  0 requests in 1.01s, 0.00B read
Requests/sec:      0.00
Transfer/sec:       0.00B
"""
WRK_CLOSED = WRK_SILENT.replace(
    "0.00B read\n", "0.00B read\n  Socket errors: connect 0, read 1053, write 0, timeout 0\n"
)
WRK_500 = """Running 1s test @ http://127.0.0.1:34303/
  1 threads and 2 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    84.51us  332.01us   3.96ms   96.67%
    Req/Sec    51.32k     5.66k   55.09k    72.73%
  Latency Distribution
     50%   29.00us
     75%   36.00us
     90%   43.00us
     99%    2.11ms
  56048 requests in 1.13s, 3.31MB read
  Non-2xx or 3xx responses: 56048
Requests/sec:  49499.95
Transfer/sec:      2.93MB
"""
AB = """This is ApacheBench, Version 2.3 <$Revision$>

Concurrency Level:      2
Time taken for tests:   0.009 seconds
Complete requests:      20
{failures}
Total transferred:      {transferred} bytes
HTML transferred:       {transferred} bytes
Requests per second:    2257.08 [#/sec] (mean)
Time per request:       0.886 [ms] (mean)
Time per request:       0.443 [ms] (mean, across all concurrent requests)
Transfer rate:          112.41 [Kbytes/sec] received

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    0   0.1      0       0
Processing:     0    0   0.1      0       1
Waiting:        0    0   0.1      0       1
Total:          0    0   0.1      0       1

Percentage of the requests served within a certain time (ms)
  50%      0
 100%      1 (longest request)
"""
AB_REFUSED = AB.format(
    failures="Failed requests:        30\n   (Connect: 0, Receive: 20, Length: 0, Exceptions: 10)", transferred=0
)
AB_CLOSED = AB.format(failures="Failed requests:        0", transferred=0)
AB_500 = AB.format(failures="Failed requests:        0\nNon-2xx responses:      20", transferred=1240)
AB_HALF = AB.format(
    failures="Failed requests:        10\n   (Connect: 0, Receive: 0, Length: 10, Exceptions: 0)\n"
    "Non-2xx responses:      10",
    transferred=1020,
)
SYSBENCH_NOTHING = """sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

CPU speed:
    events per second:     0.00

Number of unfinished transactions on forced shutdown: 1

General statistics:
    total time:                          2.0308s
    total number of events:              0

Latency (ms):
         min:                                    0.00
         avg:                                    0.00
         max:                                    0.00
         95th percentile:                        0.00
         sum:                                    0.00
"""
FIO_NOTHING = json.dumps(
    {
        "fio version": "fio-3.33",
        "jobs": [
            {
                **{"jobname": "cpu", "error": 0, "usr_cpu": 9.5, "sys_cpu": 0.1, "ctx": 12},
                "read": {"io_bytes": 0, "bw_bytes": 0, "iops": 0.0, "runtime": 0, "total_ios": 2, "lat_ns": {"N": 0}},
                "write": {"io_bytes": 0, "bw_bytes": 0, "iops": 0.0, "runtime": 0, "total_ios": 0},
            }
        ],
    }
)
IPERF3_NOTHING = json.dumps(
    {
        **{"start": {"connected": []}, "intervals": []},
        "end": {
            "sum": {"seconds": 1.0, "bytes": 0, "bits_per_second": 0, "jitter_ms": 0, "packets": 0, "lost_percent": 0},
            "sum_sent": {"seconds": 1.0, "bytes": 0, "bits_per_second": 0, "packets": 0},
            "sum_received": {"seconds": 1.0, "bytes": 0, "bits_per_second": 0, "jitter_ms": 0, "packets": 0},
        },
    }
)
VEGETA_REFUSED = json.dumps(
    {
        "latencies": {"total": 4163000, "mean": 208150, "50th": 201000, "99th": 419000, "max": 419000, "min": 102000},
        **{"bytes_in": {"total": 0, "mean": 0}, "bytes_out": {"total": 0, "mean": 0}},
        **{"duration": 950000000, "requests": 20, "rate": 21.05, "throughput": 0, "success": 0},
        **{"status_codes": {"0": 20}, "errors": ["dial tcp 127.0.0.1:1: connect: connection refused"]},
    }
)
K6_REFUSED = json.dumps(
    {
        "metrics": {
            **{"http_reqs": {"count": 40, "rate": 39.8}, "iterations": {"count": 40, "rate": 39.8}},
            "http_req_duration": {"avg": 0, "min": 0, "med": 0, "max": 0, "p(90)": 0, "p(95)": 0},
            "http_req_failed": {"passes": 40, "fails": 0, "value": 1},
        }
    }
)
K6_NO_ITERATION = json.dumps({"metrics": {"vus": {"value": 1, "min": 1, "max": 1}, "data_sent": {"count": 80}}})


def k6_lines(*answers: tuple[float, str]) -> str:
    """Points of requests that took so long and got that status, "0" if none."""
    points = []
    for duration, status in answers:
        tags = {"method": "GET", "status": status, "expected_response": str(status == "200").lower()}
        for metric, value in (("http_req_duration", duration), ("http_req_failed", float(status != "200"))):
            points.append({"metric": metric, "type": "Point", "data": {"value": value, "tags": tags}})
    return "\n".join(map(json.dumps, points))


DEAD = {
    "wrk": [WRK_SILENT, WRK_CLOSED, WRK_500],
    "ab": [AB_REFUSED, AB_CLOSED, AB_500],
    "sysbench": [SYSBENCH_NOTHING],
    "fio": [FIO_NOTHING],
    "iperf3": [IPERF3_NOTHING],
    "vegeta": [VEGETA_REFUSED, VEGETA_LINES.replace("200", "503").replace("304", "0")],
    "k6": [K6_REFUSED, K6_NO_ITERATION, k6_lines((0, "0"), (0, "0"))],
    "hyperfine": [
        json.dumps({"results": [{"command": "false", "mean": 0.01, "times": [0.01, 0.01], "exit_codes": codes}]})
        for codes in ([1, 1], [0, None])
    ],
    "google-benchmark": [
        json.dumps({"benchmarks": [{"name": "BM", "real_time": 0.0, "time_unit": "ns", **said}]})
        for said in ({"error_occurred": True}, {"skipped": True, "skip_message": "no file"})
    ],
}
"""What tools print that measured nothing: refused connections, servers that never answer, nothing but errors."""
