// Packs the checkout as it would be published, and installs the package in an empty folder.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Creates `folder` and installs the package there. `root` is the checkout, which must be built. */
export function install(root: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  const packs = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(npm(root, packs)) as [{ readonly filename: string }]
  // Without this file, npm would install into a parent folder that has one.
  writeFileSync(join(folder, 'package.json'), '{ "name": "newcomer", "private": true }\n')
  npm(folder, ['install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, filename)])
}

function npm(cwd: string, words: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('npm', [...words, '--loglevel=error'], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`npm ${words[0]} failed:\n${stdout}${stderr}`)
  return stdout
}
