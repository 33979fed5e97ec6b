// Flags of the optimizing compiler: set while it may be lean, and taken back while threads load.
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { LEAN_FLAGS, LeanCompilation, USUAL_FLAGS } from './lean-compilation.ts'
import { BOUND_FLAGS, UNBOUND_FLAGS } from './young-heap.ts'

/** A compilation that notes the flags it sets. */
function noted(): { readonly lean: LeanCompilation; readonly taken: () => readonly string[] } {
  const flags: string[] = []
  return { lean: new LeanCompilation((flag) => flags.push(flag)), taken: () => flags.splice(0) }
}

describe('lean compilation', () => {
  it('sets no flag before it begins, and each flag once', () => {
    const { lean, taken } = noted()
    lean.suspend()()
    expect(taken()).toEqual([])
    lean.begin()
    lean.begin()
    expect(taken()).toEqual(LEAN_FLAGS)
  })

  it('waits until all threads have loaded', () => {
    const { lean, taken } = noted()
    const first = lean.suspend()
    const second = lean.suspend()
    lean.begin()
    first()
    first()
    expect(taken()).toEqual([])
    second()
    expect(taken()).toEqual(LEAN_FLAGS)
  })

  it('is taken back while a thread loads', () => {
    const { lean, taken } = noted()
    lean.begin()
    taken()
    const loaded = lean.suspend()
    expect(taken()).toEqual(USUAL_FLAGS)
    loaded()
    expect(taken()).toEqual(LEAN_FLAGS)
  })

  it.each([
    ['lean', LEAN_FLAGS, USUAL_FLAGS],
    ['bound', BOUND_FLAGS, UNBOUND_FLAGS],
  ])('leaves the flags of the start once it is taken back: %s', (_, changed, back) => {
    // In a process of its own: V8 names the flags in a tag, which only they decide.
    const script = `
      const { cachedDataVersionTag: tag, setFlagsFromString: set } = require('node:v8')
      const tags = [tag()]
      for (const flags of JSON.parse(process.argv[1])) { flags.forEach(set); tags.push(tag()) }
      process.stdout.write(JSON.stringify(tags))`
    const words = ['-e', script, JSON.stringify([changed, back])]
    const [start, between, end] = JSON.parse(
      execFileSync(process.execPath, words, { encoding: 'utf8' }),
    )
    expect(between).not.toBe(start)
    expect(end).toBe(start)
  })

  it('is begun and suspended safely while garbage is collected', () => {
    // In a process of its own: V8 ends it if a collection does not find the flags that it needs.
    const script = `
      const { setFlagsFromString: set } = require('node:v8')
      const states = JSON.parse(process.argv[1])
      const kept = []
      for (let i = 0; i < 3_000_000; i++) {
        if (i % 10_000 === 0) states[(i / 10_000) % 2].forEach(set)
        kept[i % 200_000] = { i, list: [i] }
      }
      process.stdout.write(String(kept.length))`
    const words = ['-e', script, JSON.stringify([LEAN_FLAGS, USUAL_FLAGS])]
    expect(execFileSync(process.execPath, words, { encoding: 'utf8' })).toBe('200000')
  })
})
