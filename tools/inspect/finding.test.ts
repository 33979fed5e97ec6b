// Faults as findings: their place, their code, and the line for people.
import { expect, it } from 'vitest'
import { StorageError } from '../../engine/index.ts'
import { CorruptionError, VersionError } from '../../format/errors.ts'
import { type Finding, findingAbout, findingOf, findingText } from './finding.ts'

const corruption = new CorruptionError('bad_checksum', { section: 'RECS', offset: 7 }, 1, 2)
const version = new VersionError('HEAD', 9, 1, 2)

it('a fault names the file of its error, else its subject', () => {
  const storage = (cause?: Error) => new StorageError('missing', 'a.docs', 'cannot read', { cause })
  expect(findingOf('x', corruption)).toEqual({
    where: 'x',
    section: 'RECS',
    offset: 7,
    code: 'bad_checksum',
    message: 'expected 1, found 2',
  })
  expect(findingOf('x', storage(corruption))).toMatchObject({ where: 'a.docs', offset: 7 })
  expect(findingOf('x', version)).toEqual(findingAbout('x', 'version', version.message))
  expect(findingOf('x', storage(version))).toMatchObject({ where: 'a.docs', code: 'version' })
  expect(findingOf('x', storage())).toEqual(findingAbout('a.docs', 'missing', 'cannot read'))
  const nowhere = new StorageError('missing', '', 'cannot read')
  expect(findingOf('x', nowhere)).toMatchObject({ where: 'x', code: 'missing' })
  expect(findingOf('x', new RangeError('why'))).toEqual(
    findingAbout('x', 'unreadable', 'RangeError: why'),
  )
  expect(findingOf('x', 'text')).toEqual(findingAbout('x', 'unreadable', 'text'))
})

it.each<[Partial<Finding>, string]>([
  [{}, 'a: words'],
  [{ section: 'RECS' }, 'a: section RECS: words'],
  [{ offset: 0 }, 'a: offset 0: words'],
  [{ section: 'RECS', offset: 7 }, 'a: section RECS, offset 7: words'],
  [{ code: 'bad_checksum' }, 'a: bad_checksum: words'],
])('%j is %s', (change, line) => {
  expect(findingText({ ...findingAbout('a', 'missing', 'words'), ...change })).toBe(line)
})
