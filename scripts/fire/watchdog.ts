// Against loops that do not end: a thread that ends the process, with words, when it was not told
// for a while that work goes on. A test runner cannot interrupt what never looks up.
import { Worker } from 'node:worker_threads'

export type Watchdog = {
  /** Work goes on; `what` is said should it be the last that is heard. */
  readonly pat: (what: string) => void
  readonly stop: () => void
}

/** Runs as text, since it needs nothing of ours and has to work from a bundle as well. */
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
