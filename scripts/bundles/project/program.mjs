// The program that the tests bundle: it adds documents, searches, and prints what it finds. The words
// of Chinese text are read from a file of the package.
// Arguments: the database folder, and the folder of the worker files if it is not found by itself.
import { openEngine } from 'svc-search'

export async function found(path, workersUrl) {
  const engine = await openEngine({ path, workersUrl, searchThreads: 1 })
  try {
    const films = [
      { id: 1, title: 'The Godfather' },
      { id: 2, title: 'Heat' },
      { id: 3, title: '在北京大学读书' },
    ]
    const { status } = await engine.waitForTask(await engine.addDocuments('films', films))
    const { hits } = await engine.search('films', { q: 'godfahter' })
    const { hits: chinese } = await engine.search('films', { q: '大学' })
    if (chinese.length !== 1) return 'no Chinese words'
    return status === 'succeeded' ? hits.map(({ title }) => title).join() : status
  } finally {
    await engine.close()
  }
}

const [path, workersUrl] = process.argv.slice(2)
if (path !== undefined)
  found(path, workersUrl)
    .catch(({ code }) => code)
    .then(console.log)
