// The console: requests that search, written as JSON, alone or two side by side.
export { ConsoleView } from './console-view.ts'
