// Benchmarks of the engine's own hot paths, behind `npm run bench`.
export { BENCH_DEFAULTS, type BenchOptions, benchCommand, type Output } from './command.ts'
