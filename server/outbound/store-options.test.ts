// The options of an object store from those of the launch.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readConfig } from '../config/index.ts'
import { storeOptions } from './store-options.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-store-options-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Given = { readonly [name: string]: string }

const configOf = (given: Given) => {
  const variables = Object.entries(given).map(([name, value]) => [`SVC_${name}`, value])
  return readConfig(new Map(), Object.fromEntries(variables))
}

const optionsOf = async (given: Given) => storeOptions(await configOf(given))

const STORE = {
  DB_PATH: '/data/shop.ms',
  OBJSTORE_BUCKET_URL: 'https://store.example',
  OBJSTORE_BUCKET_REGION: 'eu-west-1',
  OBJSTORE_BUCKET_NAME: 'backups',
  OBJSTORE_SNAPSHOT_PREFIX: 'daily',
}
const KEYS = { OBJSTORE_ACCESS_KEY: 'access', OBJSTORE_SECRET_KEY: 'secret' }

it.each([
  'objstoreBucketUrl',
  'objstoreBucketRegion',
  'objstoreBucketName',
  'objstoreSnapshotPrefix',
])('without %s, no options are returned', async (option) => {
  const config = await configOf({ ...STORE, ...KEYS })
  expect(storeOptions({ ...config, [option]: null })).toBeNull()
})

it('keys are used only if both are given', async () => {
  const config = await configOf({ ...STORE, ...KEYS })
  for (const key of ['objstoreAccessKey', 'objstoreSecretKey']) {
    expect(storeOptions({ ...config, [key]: null })!.credentials.kind).toBe('role')
  }
})

it('the options name the snapshots after the database, or after the followed one', async () => {
  const options = await optionsOf({ ...STORE, ...KEYS })
  expect(options).toMatchObject({
    url: 'https://store.example',
    region: 'eu-west-1',
    bucket: 'backups',
    place: { prefix: 'daily', name: 'shop.ms' },
    credentials: { kind: 'keys', accessKey: 'access', secretKey: 'secret' },
    incremental: false,
  })
  const followed = await optionsOf({ ...STORE, ...KEYS, FOLLOW: 'objstore:main' })
  expect(followed!.place).toEqual({ prefix: 'daily', name: 'main' })
})

it('the token of a role is read from its file each time', async () => {
  const file = join(folder, 'token')
  const options = await optionsOf({
    ...STORE,
    EXPERIMENTAL_OBJSTORE_WEB_IDENTITY_TOKEN_FILE: file,
    EXPERIMENTAL_OBJSTORE_ROLE_ARN: 'arn:role',
    EXPERIMENTAL_OBJSTORE_WEB_IDENTITY_TOKEN_DURATION_SECONDS: '1800',
  })
  const { credentials } = options!
  expect(credentials).toMatchObject({ kind: 'role', arn: 'arn:role', durationSeconds: 1800 })
  if (credentials.kind !== 'role') return
  for (const token of ['first', 'second']) {
    writeFileSync(file, token)
    expect(await credentials.readToken()).toBe(token)
  }
})
