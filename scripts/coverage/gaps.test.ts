// Statements that were executed, and lines that were not.
import { expect, it } from 'vitest'
import { countOf, type FileCoverage, linesNotExecuted } from './gaps.ts'

const at = (line?: number) => ({ start: line === undefined ? {} : { line } })
const FILE: FileCoverage = {
  statementMap: { 0: at(3), 1: at(12), 2: at(5) },
  s: { 0: 7, 1: 0, 2: 0 },
  branchMap: { 0: { locations: [at(3), at(3)] }, 1: { locations: [at(9), at()] } },
  b: { 0: [1, 2], 1: [0, 0] },
}

it('counts statements, and lists lines once, in order', () => {
  expect(countOf([FILE, FILE])).toEqual({ statements: 6, executed: 2 })
  expect(countOf([])).toEqual({ statements: 0, executed: 0 })
  expect(linesNotExecuted(FILE)).toEqual([5, 9, 12])
})
