// Killed imports: after each step of the disk, the next start detects the unfinished import and
// removes it.

import { expect, it } from 'vitest'
import { PowerOff } from '../storage/fake-failures.ts'
import { FakeDisk } from '../storage/index.ts'
import { beginImport, endImport, isImporting, removeImport } from './importing.ts'
import { CURRENT } from './names.ts'

/** Fills the folder as an import does; rejects with PowerOff if the power fails on the way. */
async function fill(disk: FakeDisk): Promise<void> {
  const fs = disk.mount()
  await beginImport(fs)
  const file = fs.open(CURRENT, 'create')
  file.write(0, new TextEncoder().encode('manifest-000001.log\n'))
  file.close()
  await endImport(fs)
}

it('an import is detected as unfinished after a kill at any step', async () => {
  const whole = new FakeDisk()
  await fill(whole)
  const steps = whole.steps
  expect(steps).toBeGreaterThan(4)
  for (let step = 0; step < steps; step++) {
    const disk = new FakeDisk()
    disk.powerOffAfter(step)
    await fill(disk).catch((error: unknown) => {
      if (!(error instanceof PowerOff)) throw error
    })
    // The process is killed but the power stays on, so everything written is on disk.
    disk.kill()
    const fs = disk.mount()
    const names = fs.list('')
    const isDone = names.length === 1 && names[0] === CURRENT
    expect(isImporting(fs), `step ${step}: ${names}`).toBe(names.length > 0 && !isDone)
    if (!isImporting(fs)) continue
    await removeImport(fs)
    expect(fs.list('')).toEqual([])
    expect(isImporting(fs)).toBe(false)
  }
})
