// A page under test: its built files, a server that serves them, and a browser that opens it.
import type { Page } from 'playwright-core'
import { type Browser, openBrowser, type WatchedPage } from '../../scripts/browser/index.ts'
import { startServer, type TestServer } from '../testing/test-server.ts'
import { type BuiltPage, builtPage } from './test-build.ts'

export class PageUnderTest {
  readonly server: TestServer
  readonly #built: BuiltPage
  readonly #browser: Browser
  #shown: WatchedPage | null = null

  private constructor(built: BuiltPage, server: TestServer, browser: Browser) {
    this.#built = built
    this.server = server
    this.#browser = browser
  }

  /** `options`: of the server, as in the environment, without their prefix. */
  static async start(options: { readonly [name: string]: string } = {}): Promise<PageUnderTest> {
    const built = await builtPage()
    return new PageUnderTest(built, await startServer(options, built.folder), await openBrowser())
  }

  /** Starts another server with the page. */
  serve(options: { readonly [name: string]: string } = {}): Promise<TestServer> {
    return startServer(options, this.#built.folder)
  }

  /** Opens an address of the server, or of `at`. */
  async open(path: string, at: { readonly url: string } = this.server): Promise<Page> {
    this.#shown = await this.#browser.open(`${at.url}/${path}`)
    return this.#shown.page
  }

  /** Errors and warnings of the page that was opened last. A test empties it of those that it expects. */
  get complaints(): string[] {
    return this.#shown?.complaints ?? []
  }
  /** Every address that the page has requested. */
  get requests(): readonly string[] {
    return this.#shown?.requests ?? []
  }

  /** Closes the page. @throws if the browser complained about it */
  async close(): Promise<void> {
    const shown = this.#shown
    this.#shown = null
    await shown?.close()
  }

  async stop(): Promise<void> {
    await this.#browser.close()
    await this.server.stop()
    this.#built.remove()
  }
}
