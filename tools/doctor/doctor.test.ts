// The doctor's findings on machines that lack something, and the command on this machine.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runTools } from '../run-tools.ts'
import type { DoctorSurroundings } from './doctor.ts'
import { doctorText, examine } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-doctor-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

const sound: DoctorSurroundings = {
  nodeVersion: '22.15.0',
  natives: [{ name: 'fs-ext', purpose: 'lock of the database', missing: null }],
  limits:
    'Limit  Soft  Hard  Units\nMax open files            1024                 524288   files\n',
  memoryBytes: 2 ** 33,
  now: Date.UTC(2027, 1, 1),
  tryLock: () => undefined,
}
const found = (change: Partial<DoctorSurroundings>, subject: string, db = folder) => {
  const result = examine(db, { ...sound, ...change })
  const finding = result.findings.find((one) => one.subject.startsWith(subject))!
  return { ...finding, problems: result.problemCount }
}

describe('the doctor', () => {
  it('finds nothing on a sound machine', () => {
    const { findings, problemCount } = examine(join(folder, 'a/b'), sound)
    expect(problemCount).toBe(0)
    const kept = findings.filter(({ subject }) => !/^(?:system|disk)$/.test(subject))
    expect(kept.every(({ state }) => state === 'good')).toBe(true)
    expect(kept.find(({ subject }) => subject === 'database')!.found).toMatch(/does not exist yet/)
  })

  it.each([
    ['18.20.4', 1],
    ['20.18.9', 1],
    ['20.19.0', 0],
    ['25.0.0', 0],
  ])('judges Node %s', (nodeVersion, problems) => {
    expect(found({ nodeVersion }, 'Node').problems).toBe(problems)
  })

  it('names what is used instead of a native package', () => {
    const missing = { reason: 'no binary', instead: 'something slower' }
    const natives = [{ name: 'zstd-napi', purpose: 'compression', missing }] as const
    expect(found({ natives }, 'zstd-napi')).toMatchObject({
      state: 'note',
      found: 'not used: no binary',
      consequence: 'instead: something slower',
      problems: 0,
    })
  })

  it('says that a server cannot start without locks, or in a place that is a file', () => {
    const tryLock = () => {
      throw new Error('cannot lock `LOCK`: there is no program flock')
    }
    expect(found({ tryLock }, 'locks')).toMatchObject({ state: 'problem', problems: 1 })
    writeFileSync(join(folder, 'file'), '')
    const inFile = found({}, 'database', join(folder, 'file/data.ms'))
    expect([inFile.state, inFile.consequence]).toEqual([
      'problem',
      `${join(folder, 'file')} is not a folder: choose another --db-path`,
    ])
  })

  it('notes little memory, few open files, and a clock that is wrong', () => {
    expect(found({ memoryBytes: 2 ** 28 }, 'memory').state).toBe('note')
    const limits = 'Max open files            256                  1024      files\n'
    expect(found({ limits }, 'open files')).toMatchObject({ state: 'note', found: 'at most 1,024' })
    expect(found({ limits: null }, 'open files')).toMatchObject({ found: 'limit unknown' })
    expect(found({ now: 1000 }, 'clock').state).toBe('note')
    const db = join(folder, 'db')
    mkdirSync(db)
    writeFileSync(join(db, 'manifest.log'), '')
    utimesSync(join(db, 'manifest.log'), Date.UTC(2030) / 1000, Date.UTC(2030) / 1000)
    expect(found({}, 'clock', db).consequence).toMatch(/written later/)
  })

  it('writes a report, and the exit code of the command', async () => {
    const text = doctorText(examine(folder, { ...sound, nodeVersion: '18.0.0' }))
    expect(text).toMatch(/Node +PROBLEM {2}18\.0\.0\n +→ install Node 20\.19 or a later release\n/)
    expect(text).toMatch(/The server cannot start here: 1 problem\.\n$/)
    let out = ''
    const terminal = { out: (words: string) => void (out += words), err: () => undefined }
    const code = await runTools(['doctor', '--json', folder], terminal as never)
    const { findings, problemCount } = JSON.parse(out)
    expect([code, problemCount]).toEqual([0, 0])
    expect(findings.map(({ subject }: { subject: string }) => subject)).toContain('clock')
  })

  it('examines a machine before the first start, without the name of a database', async () => {
    let out = ''
    const terminal = { out: (words: string) => void (out += words), err: () => undefined }
    process.env['SVC_DB_PATH'] = join(folder, 'later')
    const code = await runTools(['doctor'], terminal as never)
    delete process.env['SVC_DB_PATH']
    expect(code).toBe(0)
    expect(out).toContain(`${join(folder, 'later')} (does not exist yet)`)
  })
})
