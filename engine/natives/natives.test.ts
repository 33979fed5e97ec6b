// Which native packages are used.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { bundleInto } from '../../fixtures/bundle.ts'
import { isHidden, NATIVE_NAMES } from './natives.ts'

const folder = fs.mkdtempSync(join(tmpdir(), 'svc-natives-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

describe('SVC_NATIVES', () => {
  const hidden = (setting: string | undefined) =>
    NATIVE_NAMES.filter((name) => isHidden(name, setting))

  it('hides all packages, those that it does not name, or none', () => {
    expect(hidden('off')).toEqual(NATIVE_NAMES)
    expect(hidden('koffi, zstd-napi')).toEqual(['fs-ext', 'mmap-io'])
    expect(hidden('')).toEqual([])
    expect(hidden(undefined)).toEqual([])
  })
})

describe('a native package', () => {
  it('is loaded once by the first loader that succeeds; otherwise the reason is known', () => {
    const entry = join(folder, 'entry.ts')
    const natives = JSON.stringify(join(import.meta.dirname, 'natives.ts'))
    fs.writeFileSync(
      entry,
      `import { loadNative, reasonWithout } from ${natives}
       let calls = 0
       const broken = () => { calls++; throw new Error('no binary\\nwith details') }
       const sound = () => { calls++; return 'sound' }
       const answers = [
         reasonWithout('koffi'),
         loadNative('koffi', [broken, sound]), loadNative('koffi', [broken]), calls,
         reasonWithout('koffi'),
         loadNative('fs-ext', [broken]), loadNative('fs-ext', [sound]), calls,
         reasonWithout('fs-ext'),
         loadNative('mmap-io', [sound]), reasonWithout('mmap-io'), calls,
       ]
       console.log(JSON.stringify(answers))`,
    )
    const script = bundleInto(folder, entry, 'entry.mjs')
    const env = { ...process.env, SVC_NATIVES: 'koffi,fs-ext' }
    const { stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8', env })
    expect(JSON.parse(stdout)).toEqual(
      [null, 'sound', 'sound', 2, null].concat(
        [null, null, 3, 'no binary'] as never[],
        [null, 'SVC_NATIVES hides it', 3] as never[],
      ),
    )
  })
})
