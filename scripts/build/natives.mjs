// Puts binaries of the native packages into `dist/natives`, so that installations need no compiler:
// `node scripts/build/natives.mjs`, also before packing. Binaries are made for the system and the
// processor of this machine, with the compiler that node-gyp finds. Those for the running release of
// Node are the ones that npm has compiled; for other releases (`--node 22`) headers are fetched from
// the registry. What cannot be made is reported and left out: the package works without. Plain
// JavaScript.
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { thirdPartyLicences } from './licenses.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const packages = join(root, 'node_modules')
const { platform, arch, versions } = process
const target = join(root, 'dist/natives', `${platform}-${arch}`)

/** Binaries that work with all releases of Node (Node-API) have no number in their names. */
const NATIVES = [
  { name: 'mmap-io', binary: 'mmap_io.node', hasAbi: true },
  { name: 'fs-ext', binary: 'fs_ext.node', hasAbi: true },
  { name: 'zstd-napi', binary: 'binding.node', hasAbi: false },
]
/** Packages whose code or headers are in the binaries. */
const CONTAINED = ['fs-ext', 'mmap-io', 'nan', 'node-addon-api', 'zstd-napi']

const { values } = parseArgs({ options: { node: { type: 'string', multiple: true, default: [] } } })

rmSync(join(root, 'dist/natives'), { recursive: true, force: true })
mkdirSync(target, { recursive: true })
let made = 0
for (const native of NATIVES) {
  const built = join(packages, native.name, 'build/Release', native.binary)
  if (existsSync(built)) keep(native, versions.modules, built)
  else console.error(`${native.name}: npm has not compiled it; left out`)
}
for (const release of values.node) {
  const headers = headersOf(release)
  if (headers === null) continue
  const abi = /#define NODE_MODULE_VERSION (\d+)/.exec(
    readFileSync(join(headers, 'include/node/node_version.h'), 'utf8'),
  )?.[1]
  if (abi === undefined || abi === versions.modules) continue
  for (const native of NATIVES.filter(({ hasAbi }) => hasAbi)) compile(native, abi, headers)
}
const inputs = CONTAINED.map((name) => join('node_modules', name, 'package.json'))
const licences = thirdPartyLicences(
  root,
  inputs.filter((path) => existsSync(join(root, path))),
)
if (made > 0) writeFileSync(join(root, 'dist/natives/THIRD-PARTY-LICENSES'), licences)
console.error(`${made} binaries for ${platform}-${arch} in dist/natives`)

function keep({ name, hasAbi }, abi, built) {
  copyFileSync(built, join(target, hasAbi ? `${name}-${abi}.node` : `${name}.node`))
  made++
}

/** Compiles a package for another release in a copy. */
function compile(native, abi, headers) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-natives-'))
  try {
    const copy = join(folder, 'node_modules', native.name)
    cpSync(join(packages, native.name), copy, {
      recursive: true,
      filter: (path) => path !== join(packages, native.name, 'build'),
    })
    cpSync(join(packages, 'nan'), join(folder, 'node_modules/nan'), { recursive: true })
    const gyp = join(packages, 'node-gyp/bin/node-gyp.js')
    const flags = [
      'rebuild',
      `--nodedir=${headers}`,
      '--module_name=mmap_io',
      '--module_path=./binding',
    ]
    // mmap-io compiles against Node 24 only as C++20; older releases accept it as well.
    const env = { ...process.env, CXXFLAGS: '-std=c++20' }
    const done = spawnSync(process.execPath, [gyp, ...flags], { cwd: copy, env, encoding: 'utf8' })
    const built = join(copy, 'build/Release', native.binary)
    if (done.status === 0 && existsSync(built)) keep(native, abi, built)
    else console.error(`${native.name} for ABI ${abi}: not compiled; left out\n${done.stderr}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the folder of a release of Node that has its headers, or null if it cannot be fetched. */
function headersOf(release) {
  const folder = join(packages, '.svc-headers', release)
  const found = join(folder, 'node_modules', `node-${platform}-${arch}`)
  if (existsSync(join(found, 'include'))) return found
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const words = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    `node-${platform}-${arch}@${release}`,
  ]
  const done = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' })
  if (done.status === 0) return found
  console.error(`the headers of Node ${release} cannot be fetched; left out\n${done.stderr ?? ''}`)
  return null
}
