// The checks of the newcomer fail for a wrong code, a missing text, or a stack in a message.
import { describe, expect, it } from 'vitest'
import { faultsOf, Report } from './report.ts'

describe('a check of the newcomer', () => {
  const outcome = { code: 2, text: 'error: no folder `x`\n' }

  it('passes when code and texts are right', () => {
    expect(faultsOf(outcome, { code: 2, says: ['no folder', /`x`/] })).toEqual([])
  })

  it.each([
    [{ code: 2, says: ['another text'] }, outcome],
    [{ code: 1 }, outcome],
    [{ code: 2 }, { code: 2, text: 'Error: x\n    at f (/a/b.js:1:2)\n' }],
    [{ code: 2 }, { code: 2, text: 'the folder undefined' }],
    [{ code: 2 }, { code: null, text: '' }],
  ])('fails otherwise: %j', (expected, found) => {
    expect(faultsOf(found, expected)).not.toEqual([])
  })

  it('decides the exit code', () => {
    const written: string[] = []
    const report = new Report((text) => written.push(text))
    report.check('one', outcome, { code: 2 })
    expect(report.finish()).toBe(0)
    report.holds('two', false, 'nothing')
    expect(report.finish()).toBe(1)
    expect(written.join('')).toContain('FAIL  two')
  })
})
