// The bounds of the doctor's findings, and its verdicts.
import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { type DoctorSurroundings, examine, thisMachine, verdict } from './doctor.ts'

const sound: DoctorSurroundings = {
  nodeVersion: '22.15.0',
  natives: [],
  limits: null,
  memoryBytes: 2 ** 33,
  now: Date.UTC(2027, 1, 1),
  tryLock: () => undefined,
}
const stateOf = (change: Partial<DoctorSurroundings>, subject: string): string =>
  examine(tmpdir(), { ...sound, ...change }).findings.find((one) => one.subject === subject)!.state
const limits = (hard: string): string => `Max open files            1024     ${hard}     files\n`

it.each<[Partial<DoctorSurroundings>, string, string]>([
  [{ nodeVersion: '20.18.99' }, 'Node', 'problem'],
  [{ nodeVersion: '20.19.0' }, 'Node', 'good'],
  [{ nodeVersion: '21.0.0' }, 'Node', 'good'],
  [{ nodeVersion: '19.99.0' }, 'Node', 'problem'],
  [{ memoryBytes: 2 ** 29 - 1 }, 'memory', 'note'],
  [{ memoryBytes: 2 ** 29 }, 'memory', 'good'],
  [{ limits: limits('4095') }, 'open files', 'note'],
  [{ limits: limits('4096') }, 'open files', 'good'],
  [{ limits: limits('unlimited') }, 'open files', 'good'],
  [{ now: Date.UTC(2025, 0, 1) - 1 }, 'clock', 'note'],
  [{ now: Date.UTC(2025, 0, 1) }, 'clock', 'good'],
])('%j: %s is %s', (change, subject, state) => {
  expect(stateOf(change, subject)).toBe(state)
})

describe('a verdict', () => {
  const of = (...states: readonly ('good' | 'note' | 'problem')[]): string =>
    verdict({
      findings: states.map((state) => ({ subject: '', found: '', state, consequence: null })),
      problemCount: states.filter((state) => state === 'problem').length,
    })
  it.each([
    [of('good'), 'All is well.'],
    [of('good', 'note'), 'The server can start here, with 1 note.'],
    [of('note', 'note'), 'The server can start here, with 2 notes.'],
    [of('problem', 'note'), 'The server cannot start here: 1 problem.'],
    [of('problem', 'problem'), 'The server cannot start here: 2 problems.'],
  ])('%s', (text, expected) => {
    expect(text).toBe(expected)
  })
})

it('this machine has its own Node, memory and time, and can lock a file', () => {
  const { nodeVersion, memoryBytes, now, tryLock, natives } = thisMachine([])
  expect([nodeVersion, natives]).toEqual([process.versions.node, []])
  expect(memoryBytes).toBeGreaterThan(2 ** 20)
  expect(now).toBeGreaterThan(Date.UTC(2025, 0, 1))
  tryLock()
})
