// The checksums that snapshots share.
import { describe, expect, it } from 'vitest'
import { digestsOf } from './snapshot-upload.ts'

describe('checksums of a snapshot', () => {
  it('are computed once for files that never change, and forgotten with them', async () => {
    const file = (path: string, source = path) => ({ path, source, bytes: 1, level: 0 })
    const log = file('tasks/1.log', 'staging/tasks.log')
    const seen: string[][] = []
    const run = async ({ files }: { readonly files: readonly { readonly path: string }[] }) => {
      seen.push(files.map(({ path }) => path))
      return { digests: files.map(({ path }) => `${path}@${seen.length}`) }
    }
    const digests = new Map<string, string>()
    const upload = { archiver: { run } as never, digests }
    const { signal } = new AbortController()
    const body = file('tasks/bodies/000001.body', 'staging/0.body')
    const first = [file('segments/1'), log, body]
    expect(await digestsOf(upload, first, signal)).toEqual([
      'segments/1@1',
      'tasks/1.log@1',
      'tasks/bodies/000001.body@1',
    ])
    const second = [file('segments/2'), log, body]
    expect(await digestsOf(upload, second, signal)).toEqual([
      'segments/2@2',
      'tasks/1.log@2',
      'tasks/bodies/000001.body@1',
    ])
    expect(seen[1]).toEqual(['segments/2', 'tasks/1.log'])
    expect([...digests.keys()]).toEqual(['segments/2', 'tasks/bodies/000001.body'])
  })
})
