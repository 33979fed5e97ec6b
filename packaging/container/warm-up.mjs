// Runs the server of an installed package once, when an image is built, so that V8's compiled code is
// stored beside the programs for the first start of a container. The argument is the folder of the
// package.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const DEADLINE_MS = 60_000
const program = join(process.argv[2], 'dist/server/main.js')
const compiled = ['server/program', 'workers/search', 'workers/index'].map((name) =>
  join(process.argv[2], 'dist', `${name}.script.js.compiled`),
)
const isCompiled = () => compiled.every(existsSync)
const folder = mkdtempSync(join(tmpdir(), 'svc-warm-up-'))
const words = ['--db-path', join(folder, 'data.ms'), '--http-addr', '127.0.0.1:0']
const server = spawn(process.execPath, [program, ...words], {
  env: { PATH: process.env.PATH },
  stdio: 'ignore',
})
const deadline = Date.now() + DEADLINE_MS
while (!isCompiled() && server.exitCode === null && Date.now() < deadline) {
  await new Promise((resolve) => setTimeout(resolve, 200))
}
const ended = new Promise((resolve) => server.once('exit', resolve))
if (server.exitCode === null) {
  server.kill('SIGTERM')
  await ended
}
rmSync(folder, { recursive: true, force: true })
if (!isCompiled()) {
  console.error('the server did not keep its compiled form: each start will compile')
  process.exit(1)
}
