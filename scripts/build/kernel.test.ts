// The compiled arithmetic is that of its source.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { KERNEL_TABLE, kernelTable } from './kernel.mjs'

it('the kernel is compiled from its source: else run `node scripts/build/kernel.mjs`', async () => {
  expect(readFileSync(KERNEL_TABLE, 'utf8')).toBe(await kernelTable())
})
