// Types of the script, for the test that uses it.
export function bundleFuzzer(): Promise<{ readonly run: URL; readonly worker: URL }>
