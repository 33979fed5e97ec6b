// The benchmarks by themselves, for a bundle without the other tools: names and the options of
// `bench`.
import { parseArgs } from 'node:util'
import { BENCH_DEFAULTS, benchCommand } from './command.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    compare: { type: 'string' },
    plot: { type: 'string' },
    seconds: { type: 'string', default: String(BENCH_DEFAULTS.seconds) },
    smoke: { type: 'boolean', default: false },
  },
})

process.exitCode = await benchCommand(
  {
    names: positionals,
    list: values.list,
    json: values.json,
    compare: values.compare ?? null,
    plot: values.plot ?? null,
    seconds: Number(values.seconds),
    smoke: values.smoke,
  },
  { out: (line) => console.log(line), complain: (line) => console.error(line) },
)
