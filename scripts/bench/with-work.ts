// Prepares the work of a benchmark and cleans up afterwards, also after a failure.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Benchmark, Work } from './benchmark.ts'

export async function withWork<T>(
  benchmark: Benchmark,
  isSmoke: boolean,
  use: (work: Work) => Promise<T>,
): Promise<T> {
  const folders: string[] = []
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'svc-bench-'))
    folders.push(made)
    return made
  }
  try {
    const work = await benchmark.prepare({ folder, isSmoke })
    try {
      return await use(work)
    } finally {
      await work.close?.()
    }
  } finally {
    for (const path of folders) rmSync(path, { recursive: true, force: true })
  }
}
