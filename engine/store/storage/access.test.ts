// Permissions of our files: the owner alone, or also the group of the folder.
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { accessBelow, accessIn } from './access.ts'
import { RealFileSystem, replaceFile } from './index.ts'

let root: string
let umask: number
beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), 'svc-access-'))
  umask = process.umask(0)
})
afterEach(() => {
  process.umask(umask)
  fs.rmSync(root, { recursive: true })
})

const rightsOf = (path: string): string => (fs.statSync(join(root, path)).mode & 0o777).toString(8)
const rightsOfAll = (): { readonly [path: string]: string } =>
  Object.fromEntries(
    fs.readdirSync(root, { recursive: true }).map((path) => [String(path), rightsOf(String(path))]),
  )

async function makeAllKinds(system: RealFileSystem): Promise<void> {
  system.makeDirectory('tasks')
  system.makeDirectory('tasks/bodies')
  system.open('tasks/one', 'create').close()
  const file = await system.openAsync('tasks/two', 'create')
  file.close()
  await replaceFile(system, 'CURRENT', new Uint8Array(3))
  system.open('protected', 'create').close()
  system.protect('protected')
  system.lock('LOCK').release()
}

it('makes files and folders for the owner alone under any umask', async () => {
  for (const mask of [0, 0o022, 0o077]) {
    process.umask(mask)
    const system = RealFileSystem.create(join(root, 'a', `db-${mask}`))
    await makeAllKinds(system)
    fs.mkdirSync(join(root, `open-${mask}`))
    fs.chmodSync(join(root, `open-${mask}`), 0o755)
    await makeAllKinds(new RealFileSystem(join(root, `open-${mask}`)))
  }
  for (const [path, rights] of Object.entries(rightsOfAll())) {
    const isFolder = fs.statSync(join(root, path)).isDirectory()
    if (/^open-\d+$/.test(path)) expect([path, rights]).toEqual([path, '755'])
    else if (path.endsWith('protected')) expect([path, rights]).toEqual([path, '400'])
    else expect([path, rights]).toEqual([path, isFolder ? '700' : '600'])
  }
})

it('gives the group access if the folder does and excludes others', async () => {
  process.umask(0o077)
  fs.chmodSync(root, 0o750)
  const system = new RealFileSystem(root)
  await makeAllKinds(system)
  // The umask still applies to the lock, until the database is opened.
  expect(system.restrictAccess(() => true)).toEqual({ changed: 1, refused: 0 })
  expect(rightsOfAll()).toEqual({
    CURRENT: '640',
    LOCK: '640',
    protected: '440',
    tasks: '750',
    'tasks/bodies': '750',
    'tasks/one': '640',
    'tasks/two': '640',
  })
  const rights = [0o755, 0o775, 0o777, 0o701, 0o700, 0o750, 0o770, 0o2770].map(accessBelow)
  expect(rights.map(({ file, folder }) => `${file.toString(8)} ${folder.toString(8)}`)).toEqual([
    ...Array<string>(5).fill('600 700'),
    '640 750',
    '660 770',
    '660 770',
  ])
})

it('restricts files of an earlier release, and changes nothing else', () => {
  const ours = (name: string): boolean => name !== 'foreign'
  const files = ['CURRENT', 'tasks/log', 'foreign/file']
  for (const folder of ['tasks', 'foreign']) fs.mkdirSync(join(root, folder))
  for (const file of files) fs.writeFileSync(join(root, file), 'x')
  fs.chmodSync(join(root, 'tasks/log'), 0o444)
  fs.symlinkSync(join(root, 'foreign/file'), join(root, 'tasks/link'))
  fs.chmodSync(root, 0o755)
  const system = new RealFileSystem(root)
  expect(system.restrictAccess(ours)).toEqual({ changed: 4, refused: 0 })
  const expected = {
    CURRENT: '600',
    foreign: '777',
    'foreign/file': '666',
    tasks: '700',
    'tasks/link': '666',
    'tasks/log': '400',
  }
  expect(rightsOfAll()).toEqual(expected)
  expect((fs.statSync(root).mode & 0o777).toString(8)).toBe('700')
  expect(system.restrictAccess(ours)).toEqual({ changed: 0, refused: 0 })
  // An operator gives a group access.
  fs.chmodSync(root, 0o750)
  expect(new RealFileSystem(root).restrictAccess(ours)).toEqual({ changed: 3, refused: 0 })
  expect([rightsOf('tasks'), rightsOf('tasks/log'), rightsOf('CURRENT')]).toEqual([
    '750',
    '440',
    '640',
  ])
})

it('counts entries whose permissions the system does not change', () => {
  fs.writeFileSync(join(root, 'a'), '')
  fs.writeFileSync(join(root, 'b'), '')
  const failing = vi.spyOn(fs, 'chmodSync').mockImplementation((path) => {
    const code = 'EPERM'
    if (path === join(root, 'a')) throw Object.assign(new Error(code), { code, errno: -1 })
  })
  const change = new RealFileSystem(root).restrictAccess(() => true)
  failing.mockRestore()
  expect(change).toEqual({ changed: 1, refused: 1 })
})

it('is the owner’s alone below a folder that is missing', () => {
  expect(accessIn(join(root, 'gone'))).toEqual({ file: 0o600, folder: 0o700 })
})
