// The compiled form of a program: written once, used only while it fits.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LEAN_FLAGS, USUAL_FLAGS } from '../../engine/runtime/lean-compilation.ts'
import { BOUND_FLAGS, UNBOUND_FLAGS } from '../../engine/runtime/young-heap.ts'

const LAUNCH = fileURLToPath(new URL('launch.cjs', import.meta.url))
const launchScript = createRequire(import.meta.url)('./launch.cjs')
const { HEAD, TAIL } = launchScript
const PROGRAM = `${HEAD}exports.answer = (n) => n * 2; exports.place = require('node:path').sep${TAIL}`

let folder: string
let program: string
let kept: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-launch-'))
  program = join(folder, 'program.js')
  kept = `${program}.compiled`
  writeFileSync(program, PROGRAM)
})
afterEach(() => {
  chmodSync(folder, 0o700)
  rmSync(folder, { recursive: true })
})

/**
 * Runs the program in a separate process; returns its answer, and whether V8 had to compile.
 * `more`: additional code of the process, after the program was loaded, or `before`.
 */
function launched(more = '', before = ''): { readonly answer: number; readonly compiled: boolean } {
  const script = `
    const vm = require('node:vm')
    const { setFlagsFromString } = require('node:v8')
    let compiled = true
    vm.Script = class extends vm.Script {
      constructor(source, options) {
        super(source, options)
        compiled = options.cachedData === undefined || this.cachedDataRejected
      }
    }
    const { launch } = require(${JSON.stringify(LAUNCH)})
    eval(process.argv[2])
    const { answer, place } = launch(${JSON.stringify(program)}, require, 1)
    eval(process.argv[1])
    const result = { answer: place.length === 1 ? answer(21) : -1, compiled }
    setTimeout(() => process.stdout.write(JSON.stringify(result)), 50)`
  return JSON.parse(
    execFileSync(process.execPath, ['-e', script, more, before], { encoding: 'utf8' }),
  )
}

describe('the compiled form of a program', () => {
  it('is written once and used from then on', () => {
    expect(launched()).toEqual({ answer: 42, compiled: true })
    expect(readdirSync(folder)).toEqual(['program.js', 'program.js.compiled'])
    expect(launched()).toEqual({ answer: 42, compiled: false })
  })

  it('loads modules of Node that few programs use when a member is read', () => {
    const used =
      "const dns = require('node:dns'); exports.family = () => dns.getDefaultResultOrder()"
    writeFileSync(program, PROGRAM.replace(TAIL, `;${used}${TAIL}`))
    const run = (code: string): string =>
      execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' })
    const loaded = "process.moduleLoadList.includes('NativeModule dns')"
    const launch = `require(${JSON.stringify(LAUNCH)}).launch(${JSON.stringify(program)}, require)`
    const code = `const { family } = ${launch}; console.log(${loaded}, family(), ${loaded})`
    expect(run(code)).toBe('false verbatim true\n')
  })

  it('lists and copies the members of such modules as if they were loaded', () => {
    const source =
      "const tls = require('node:tls'); const copy = { ...tls }; " +
      "exports.answer = (n) => ('connect' in tls && copy.connect === tls.connect ? n * 2 : 0); " +
      "exports.place = '/'"
    writeFileSync(program, HEAD + source + TAIL)
    expect(launched().answer).toBe(42)
  })

  it('has all code that has run, although V8 drops code between', () => {
    const used = 'exports.first = (n) => { while (n < 9) n += n; return n }; exports.first(1)'
    writeFileSync(program, PROGRAM.replace(TAIL, `;${used}${TAIL}`))
    const collections = `
      for (const flag of ['--expose-gc', '--stress-flush-code']) setFlagsFromString(flag)
      for (let i = 0; i < 3; i++) vm.runInNewContext('gc')()
      for (const flag of ['--no-expose-gc', '--no-stress-flush-code']) setFlagsFromString(flag)`
    launched()
    const whole = statSync(kept).size
    rmSync(kept)
    launched(collections)
    expect(statSync(kept).size).toBeGreaterThanOrEqual(whole)
  })

  it('is written again when the program changes, with the same or another length', () => {
    launched()
    writeFileSync(program, PROGRAM.replace('n * 2', 'n + 2'))
    expect(launched()).toEqual({ answer: 23, compiled: true })
    expect(launched()).toEqual({ answer: 23, compiled: false })
  })

  it.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ['empty', () => Buffer.alloc(0)],
    ['damaged in the middle', (bytes: Buffer) => bytes.fill(0x5a, bytes.length >> 1)],
    ['damaged at the start', (bytes: Buffer) => bytes.fill(0x5a, 0, 4)],
  ])('is not believed when it is %s, and made anew', (_, damage) => {
    launched()
    writeFileSync(kept, damage(readFileSync(kept)))
    expect(launched()).toEqual({ answer: 42, compiled: true })
    expect(launched()).toEqual({ answer: 42, compiled: false })
  })

  it('is not used if other users may write to it', () => {
    launched()
    expect(statSync(kept).mode & 0o777).toBe(0o644)
    chmodSync(kept, 0o666)
    expect(launched()).toEqual({ answer: 42, compiled: true })
    expect(statSync(kept).mode & 0o777).toBe(0o644)
    expect(launched()).toEqual({ answer: 42, compiled: false })
  })

  it('is left out if it cannot be written', () => {
    // A folder of that name cannot be replaced by a file, by any user.
    execFileSync('mkdir', ['-p', join(kept, 'x')])
    expect(launched()).toEqual({ answer: 42, compiled: true })
    expect(readdirSync(folder)).toEqual(['program.js', 'program.js.compiled'])
    rmSync(kept, { recursive: true })
    chmodSync(folder, 0o500)
    expect(launched().answer).toBe(42)
    expect(existsSync(`${program}.tmp`)).toBe(false)
  })

  it('is written again once when the program is warm', () => {
    const waiting = 'exports.onWarm = (keep) => setTimeout(keep, 20)'
    writeFileSync(program, PROGRAM.replace(TAIL, `;${waiting}${TAIL}`))
    launched()
    const first = readFileSync(kept)
    expect(first.readUInt32LE(8)).toBe(1)
    launched()
    expect(readFileSync(kept).equals(first)).toBe(true)
    expect(launched()).toEqual({ answer: 42, compiled: false })
  })

  it('is neither read nor written under further flags', () => {
    const other = 'setFlagsFromString("--heap-growing-percent=20")'
    launched(other)
    expect(existsSync(kept)).toBe(false)
    expect(launched()).toEqual({ answer: 42, compiled: true })
    expect(launched('', other)).toEqual({ answer: 42, compiled: true })
    expect(launched()).toEqual({ answer: 42, compiled: false })
  })

  it('is read and written under the flags of the start while others are set', () => {
    expect(launchScript.CHANGED_FLAGS).toEqual([
      { changed: ['--no-flush-bytecode'], usual: ['--flush-bytecode'] },
      { changed: LEAN_FLAGS, usual: USUAL_FLAGS },
      { changed: BOUND_FLAGS, usual: UNBOUND_FLAGS },
    ])
    const changed = [...LEAN_FLAGS, ...BOUND_FLAGS]
    const set = `for (const flag of ${JSON.stringify(changed)}) setFlagsFromString(flag)`
    launched(set)
    const first = readFileSync(kept)
    expect(launched()).toEqual({ answer: 42, compiled: false })
    expect(launched('', set)).toEqual({ answer: 42, compiled: false })
    expect(readFileSync(kept).equals(first)).toBe(true)
  })
})
