// Checks that the compiled arithmetic matches its source.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { KERNEL_TABLE, kernelTable } from './kernel.mjs'

it('the kernel matches its source (otherwise run `node scripts/build/kernel.mjs`)', async () => {
  expect(readFileSync(KERNEL_TABLE, 'utf8')).toBe(await kernelTable())
})
