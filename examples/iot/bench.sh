#!/bin/sh
# One measurement of a simulated radio: latency and energy of a packet, and whether it was lost. Latency has a long tail:
# the numbers below are medians, and one packet in twenty takes 22 % longer than that, or more.
# A real bench would talk to a device here, and take its time: BENCH_SECONDS pretends. Try: ./bench.sh --codec lc3 --tx 8
while [ $# -gt 1 ]; do
    case $1 in
        --codec) codec=$2 ;;
        --tx) tx=$2 ;;
        *) echo "bench.sh: expected --codec and --tx, got $1" >&2; exit 2 ;;
    esac
    shift 2
done

case $codec/$tx in #  latency (ms)  loss      energy (mJ)
    opus/4)  truth="98            0.11      55" ;; # sent again and again
    opus/8)  truth="91            0.05      47" ;;
    opus/12) truth="86            0.02      59" ;;
    aac/4)   truth="106           0.13      57" ;;
    aac/8)   truth="97            0.06      45" ;;
    aac/12)  truth="93            0.02      56" ;;
    lc3/4)   truth="78            0.09      34" ;;
    lc3/8)   truth="70            0.0002    43" ;;
    lc3/12)  truth="66            0.0001    54" ;;
    *) echo "bench.sh: there is no radio with codec '$codec' at $tx dBm" >&2; exit 1 ;;
esac

[ -z "$BENCH_SECONDS" ] || sleep "$BENCH_SECONDS"
# satisfice numbers its evaluations, so that they can be repeated; without it every run is different.
seed=${SATISFICE_NUMBER:-$(od -An -N4 -tu4 /dev/urandom)}
echo "$truth" | awk -v seed="$seed" '
    function uniform() { state = (state * 16807) % 2147483647; return state / 2147483647 }
    function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307 * uniform()) }
    {
        state = seed % 89999999 # cubes modulo this prime: draws of one number after another are unlike each other
        for (mix = 0; mix < 4; mix++) { state += 7919; state = (state * state % 89999999) * state % 89999999 }
        state++
        latency = $1 * exp(0.12 * normal()); lost = uniform() < $2; energy = $3 + 5 * normal()
        printf "{\"latency_ms\": %.2f, \"loss\": %d, \"energy_mj\": %.2f}\n", latency, lost, energy
    }'
