// Ends hanging tests: a thread that ends the process with a message if no progress was reported for
// a while. A test runner cannot interrupt an endless loop.
import { Worker } from 'node:worker_threads'

export type Watchdog = {
  /** Reports progress. `step` names the current step; the watchdog prints it when the run hangs. */
  readonly pat: (step: string) => void
  readonly stop: () => void
}

/** Runs as text: it imports nothing of ours and must work from a bundle as well. */
const SOURCE = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { writeSync } = require('node:fs')
  let what = 'the beginning'
  let timer
  const wait = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      writeSync(2, '\\nnothing was heard for ' + workerData + ' ms since: ' + what + '\\n')
      process.kill(process.pid, 'SIGKILL')
    }, workerData)
  }
  parentPort.on('message', (text) => {
    what = text
    wait()
  })
  wait()
`

export function startWatchdog(silenceMs: number): Watchdog {
  const worker = new Worker(SOURCE, { eval: true, execArgv: [], workerData: silenceMs })
  worker.unref()
  return {
    pat: (what) => worker.postMessage(what),
    stop: () => void worker.terminate(),
  }
}
