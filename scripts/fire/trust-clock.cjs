// Shifts the clock of a server under fire: `Date` is ahead by the milliseconds in the file that
// SVC_FIRE_CLOCK names, or behind. Loaded by `--require`, in each thread. Clocks that only measure
// durations (`performance.now`, timers) stay right, as when an operator sets the clock.
const { readFileSync } = require('node:fs')

const file = process.env.SVC_FIRE_CLOCK
const RealDate = Date
const READ_MS = 50
let shiftMs = 0
let readAt = Number.NEGATIVE_INFINITY

function now() {
  const at = performance.now()
  if (at - readAt >= READ_MS) {
    readAt = at
    shiftMs = Number(readFileSync(file, 'utf8'))
  }
  return RealDate.now() + shiftMs
}

globalThis.Date = class Date extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(now())
    else super(...parts)
  }

  static now() {
    return now()
  }
}
