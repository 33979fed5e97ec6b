// Prepares a checkout: installs the packages if they are missing or outdated, and with `--build`
// builds `dist`. Plain JavaScript with Node's own modules, because no package is installed yet.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'node_modules', '.svc-setup')

/** The inputs of an installation: the lock file, and the ABI of the native packages. */
const wanted = () =>
  `${process.version} ${process.arch}\n${readFileSync(join(root, 'package-lock.json'), 'utf8')}`

const installed = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted()
if (!installed) {
  console.error('Installing packages (once; native ones are compiled)…')
  // mmap-io compiles against Node 24 only as C++20; older versions accept it as well.
  const CXXFLAGS = `${process.env.CXXFLAGS ?? ''} -std=c++20`.trim()
  // Options of the `npm` that called this program, such as `npm pack --dry-run`, are not meant here.
  const own = { npm_config_dry_run: 'false', npm_config_global: 'false', npm_config_json: 'false' }
  const env = { CXXFLAGS, ...own, ...headers() }
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  if (start('npm', ['ci', ...quiet], env) !== 0) {
    // A mirror that lacks packages of another platform makes `npm ci` refuse the lock file.
    console.error('The lock file could not be followed; installing what package.json asks for…')
    if (start('npm', ['install', '--no-save', ...quiet], env) !== 0) {
      console.error('Native packages could not be compiled; installing without…')
      run('npm', ['install', '--no-save', '--ignore-scripts', ...quiet], env)
    }
  }
  writeFileSync(stamp, wanted())
}
if (process.argv.includes('--build'))
  run(process.execPath, [join(root, 'scripts', 'build', 'build.mjs')], {})

/**
 * Native packages must be compiled for this release of Node. If its headers are beside it (as in an
 * installation, or in the npm package `node`), they are used, regardless of npm's settings.
 */
function headers() {
  const home = dirname(dirname(process.execPath))
  const arch = `node-${process.platform}-${process.arch}`
  const [major] = process.versions.node.split('.')
  for (const folder of [home, join(home, 'node_modules', arch), join(home, '..', arch)]) {
    const file = join(folder, 'include', 'node', 'node_version.h')
    if (!existsSync(file)) continue
    const found = /#define NODE_MAJOR_VERSION (\d+)/.exec(readFileSync(file, 'utf8'))?.[1]
    if (found === major) return { npm_config_nodedir: folder }
  }
  return {}
}

function run(command, args, env) {
  const status = start(command, args, env)
  if (status !== 0) process.exit(status)
}

function start(command, args, env) {
  const done = spawnSync(command, args, {
    cwd: root,
    // The output of `npm pack --json` is that of npm alone.
    stdio: ['inherit', 2, 2],
    env: { ...process.env, ...env },
  })
  if (done.error) {
    console.error(`${command} could not be started: ${done.error.message}`)
    process.exit(1)
  }
  return done.status ?? 1
}
