// The commit that a build names: of its own checkout, never of one around it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { commitOf } from './commit.mjs'

const folder = mkdtempSync(join(tmpdir(), 'svc-commit-'))
afterAll(() => rmSync(folder, { recursive: true }))

const git = (...words: readonly string[]) =>
  spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
    cwd: folder,
    encoding: 'utf8',
  })
const hasGit = git('init', '--quiet').status === 0

it.skipIf(!hasGit)('is the last one of the checkout', () => {
  expect(commitOf(folder, {})).toBe(null)
  git('commit', '--quiet', '--allow-empty', '--message', 'a')
  const sha = git('rev-parse', 'HEAD').stdout.trim()
  expect(sha).toMatch(/^[0-9a-f]{40}$/)
  const found = commitOf(folder, { SVC_BUILD_COMMIT_SHA: 'b'.repeat(40) })
  expect(found?.sha).toBe(sha)
  expect(Date.parse(found?.date ?? '')).toBeGreaterThan(0)
})

it('is given by variables where the sources are no checkout', () => {
  const inside = join(folder, 'inside')
  mkdirSync(inside)
  const [sha, date] = ['0123456789'.repeat(4), '2026-01-02T03:04:05Z']
  expect(commitOf(inside, { SVC_BUILD_COMMIT_SHA: sha, SVC_BUILD_COMMIT_DATE: date })).toEqual({
    sha,
    date,
  })
  expect(commitOf(inside, { SVC_BUILD_COMMIT_SHA: sha })).toEqual({ sha, date: null })
  expect(commitOf(inside, { SVC_BUILD_COMMIT_SHA: 'main' })).toBe(null)
  expect(commitOf(inside, {})).toBe(null)
})
