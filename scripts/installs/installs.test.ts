// The cases can all be run: each is there once, and its tools are installed.
import { describe, expect, it } from 'vitest'
import { CASES, isEmulated, nameOf, PROGRAMS, TOOLS } from './cases.table.ts'

describe('the cases of installations', () => {
  it('have names of their own, and tools', () => {
    expect(new Set(CASES.map(nameOf)).size).toBe(CASES.length)
    for (const { node, manager } of CASES) {
      expect(TOOLS[node], node).toBeDefined()
      expect(TOOLS[manager], manager).toBeDefined()
      expect(PROGRAMS[manager], manager).toBeDefined()
    }
  })

  it('cover every supported release of Node and every package manager without a toolchain', () => {
    const bare = CASES.filter(({ isBare }) => isBare)
    for (const emulated of [true, false]) {
      const nodes = bare.filter((one) => isEmulated(one) === emulated).map(({ node }) => node)
      expect(new Set(nodes).size).toBe(3)
    }
    expect(new Set(bare.map(({ manager }) => manager)).size).toBe(Object.keys(PROGRAMS).length)
  })
})
