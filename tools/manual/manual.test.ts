// The manual matches the declarations: docs/tools.md and docs/man are up to date, man can read the
// pages, and shells complete all commands.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { CommandContext } from '../command-parts.ts'
import { declare, manualOf, PROGRAM } from '../declarations.ts'
import { runForTest } from '../test-run.ts'
import { SHELLS } from './completion.ts'
import { completion, outlineOf } from './index.ts'
import { toolsPage } from './markdown.ts'

const docs = new URL('../../docs/', import.meta.url)
const context: CommandContext = {
  terminal: {
    out: () => undefined,
    err: () => undefined,
    isWatched: false,
    columns: 100,
    now: () => 0,
  },
  release: () => Promise.resolve('1.50.0'),
  exitCode: 0,
}
const outline = outlineOf((parser) => declare(parser, context, '1.50.0'))
const hasTroff = spawnSync('groff', ['--version']).error === undefined
const isUpdate = process.env['UPDATE_GOLDEN'] === '1'

describe('the documentation of the tools', () => {
  it('is up to date', () => {
    const page = toolsPage(outline, PROGRAM)
    const file = new URL('tools.md', docs)
    if (isUpdate) writeFileSync(file, page)
    expect(readFileSync(file, 'utf8')).toBe(page)
    const links = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor)
    const titles = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title!.replaceAll(' ', '-'))
    expect(links).toEqual(titles)
  })

  it('has exactly one manual page per command', async () => {
    const folder = new URL('man/', docs)
    const pages = await manualOf(context)
    if (isUpdate) {
      mkdirSync(folder, { recursive: true })
      for (const { name, text } of pages) writeFileSync(new URL(name, folder), text)
    }
    expect(readdirSync(folder).sort()).toEqual(pages.map(({ name }) => name).sort())
    for (const { name, text } of pages) {
      expect(readFileSync(new URL(name, folder), 'utf8'), name).toBe(text)
    }
  })

  it('shows each example as one line in the help, to be copied', async () => {
    const outlines = [outline]
    for (const { words, examples, commands } of outlines) {
      outlines.push(...commands)
      const { out } = await runForTest([...words, '--help'])
      const lines = examples.map(({ line }) => `  ${line.replace('$0', PROGRAM)}`)
      expect(out.split('\n'), words.join(' ')).toEqual(expect.arrayContaining(lines))
    }
  })

  it('describes each command, its arguments and its usage', () => {
    const page = toolsPage(outline, PROGRAM)
    expect(page).not.toMatch(/undefined|\$0|\bnull\b/)
    const leaves = outline.commands.flatMap((one) => (one.commands.length > 0 ? one.commands : one))
    for (const { words, describe: what, examples, positionals } of leaves) {
      const command = words.join(' ')
      expect(what, command).toMatch(/^[A-Z].*[^.]$/)
      const isShort = positionals.length === 0 && words.length === 2
      if (!isShort) expect(examples.length, command).toBeGreaterThan(0)
    }
  })

  it.runIf(hasTroff)('is read by troff without warnings', async () => {
    for (const { name, text } of await manualOf(context)) {
      const flags = ['-man', '-Tutf8', '-ww', '-z']
      const { status, stderr } = spawnSync('groff', flags, { input: text, encoding: 'utf8' })
      expect([status, stderr], name).toEqual([0, ''])
    }
  })
})

describe('completion', () => {
  const complete = (...words: readonly string[]): string[] => {
    const list = words.map((word) => `'${word}'`).join(' ')
    const script = `${completion('bash', outline, PROGRAM)}
      COMP_WORDS=(svc-tools ${list}); COMP_CWORD=${words.length}; _svc_tools
      printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
    expect(stderr).toBe('')
    return stdout.split('\n').filter((word) => word !== '')
  }

  it('in bash knows commands, options and choices', () => {
    expect(complete('d')).toEqual(['db', 'dump', 'doctor'])
    expect(complete('db', 's')).toEqual(['size'])
    expect(complete('db', 'size', '--s')).toEqual(['--svg'])
    expect(complete('index', 'export', 'movies', '--format', '')).toEqual(['ndjson', 'json', 'csv'])
    expect(complete('index', 'export', '--db', 'x', '--o')).toEqual(['--output'])
    expect(complete('nonsense', 'si')).toEqual([])
  })

  it('names every command for every shell', () => {
    for (const shell of SHELLS) {
      const script = completion(shell, outline, PROGRAM)
      for (const command of outline.commands) expect(script, shell).toContain(command.words[0])
      expect(script).not.toMatch(/undefined/)
    }
  })
})
