// Starts the fuzzer. Usage: node fuzz/run.mjs --help
import { fileURLToPath } from 'node:url'
import { bundleFuzzer } from './bundle.mjs'

const { run, worker } = await bundleFuzzer()
const { main } = await import(run.href)
process.exitCode = await main(
  process.argv.slice(2),
  fileURLToPath(new URL('..', import.meta.url)),
  worker,
)
