// Failures of the system in words, and files that only their owner may read.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { writePrivateFile } from './private-file.ts'
import { systemFailureText } from './system-failure.ts'
import { oneLine } from './text.ts'
import { ToolError, toolErrorOf } from './tool-error.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-terminal-'))
afterAll(() => rmSync(root, { recursive: true }))

describe('a failure of the system', () => {
  const failure = (code: string, path: unknown = join(root, 'x'), more: object = { errno: -1 }) =>
    Object.assign(new Error(`${code}: reason, open`), { code, path, ...more })

  it.each([
    ['ENOENT', 'does not exist: check the path'],
    ['EISDIR', 'is a folder: name a file'],
    ['EROFS', 'is on a read-only file system: choose another path'],
  ])('%s is described with its path', (code, words) => {
    const text = `\`${join(root, 'x')}\` ${words}`
    expect(systemFailureText(failure(code))).toBe(text)
    expect(toolErrorOf(failure(code))).toEqual(new ToolError(text))
  })

  it('names the folder that is missing', () => {
    const path = join(root, 'no', 'x')
    expect(systemFailureText(failure('ENOENT', path))).toBe(
      `there is no folder \`${join(root, 'no')}\` for \`${path}\`: create it first (mkdir -p), or name another`,
    )
    // A folder for a file that may not be read is not the reason.
    expect(systemFailureText(failure('EISDIR', path))).toBe(`\`${path}\` is a folder: name a file`)
  })

  it('is one line, however many its message has', () => {
    expect(oneLine('a\n  b \n\nc')).toBe('a · b · c')
    expect(oneLine('a b')).toBe('a b')
  })

  it('of another kind keeps its message', () => {
    expect(systemFailureText(failure('ELOOP'))).toBe('ELOOP: reason, open')
  })

  it.each([
    ['has no path', failure('ENOENT', null)],
    ['has no errno', failure('ENOENT', 'x', {})],
    ['is no error', { code: 'ENOENT', path: 'x', errno: -1 }],
  ])('that %s is a mistake of the code', (_, error) => {
    expect(systemFailureText(error)).toBeNull()
    expect(toolErrorOf(error)).toBeNull()
  })
})

describe('a private file', () => {
  const modeOf = (path: string): number => statSync(path).mode & 0o777

  it('is created for its owner', () => {
    const path = join(root, 'new')
    writePrivateFile(path, 'key')
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['key', 0o600])
  })

  it('is overwritten, and then only its owner may read it', () => {
    const path = join(root, 'old')
    writeFileSync(path, 'longer than the next')
    chmodSync(path, 0o644)
    writePrivateFile(path, Buffer.from('key'))
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['key', 0o600])
  })
})
