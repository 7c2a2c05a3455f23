/** The model files of a folder. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { ModelFile } from './parse.ts'

/** A folder that does not hold a model: its message says what to do. */
export class ModelFolderError extends Error {
  override readonly name = 'ModelFolderError'
}

/**
 * Reads every `*.xml` below a folder, in the order of their paths, which are their names (with `/`
 * on every system). The folder may be written in any way: `.`, `./model/`, `..`, or a link. Data
 * folders, folders that begin with a dot and `node_modules` are passed over: an application's own
 * folder may be given as a whole.
 * @throws ModelFolderError where there is no such folder or no file in it
 */
export async function readModelFolder(folder: string): Promise<ModelFile[]> {
  const facts = await stat(folder).catch(() => undefined)
  if (facts === undefined) throw new ModelFolderError(`There is no folder ${folder}`)
  if (!facts.isDirectory()) {
    const hint = `give the folder that it is in: ${dirname(folder)}`
    throw new ModelFolderError(`${folder} is a file, not a folder; ${hint}`)
  }
  const names = await listFiles(resolve(folder))
  if (names.length === 0) throw new ModelFolderError(`There is no .xml file in ${folder}`)
  return Promise.all(names.map((name) => readModelFile(folder, name)))
}

/** Lists the files of a model by their paths from the folder, which is an absolute path. */
async function listFiles(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const data = found.filter(({ name }) => name === 'engine.db').map((entry) => entry.parentPath)
  const isData = (path: string): boolean => data.some((each) => path.startsWith(join(each, '/')))
  return found
    .filter((entry) => !entry.isDirectory() && /\.xml$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !isData(path))
    .map((path) => relative(folder, path).replaceAll('\\', '/'))
    .filter((name) => !FOREIGN.test(name))
    .sort()
}

/** Paths through folders that editors, version control and package managers keep. */
const FOREIGN = /(?:^|\/)(?:\.[^/]*|node_modules)\//

/** Reads a file; bytes that are not UTF-8 must not be patched up, as the verbatim text is kept. */
async function readModelFile(folder: string, name: string): Promise<ModelFile> {
  const bytes = await readFile(join(folder, name))
  try {
    return { name, body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    throw new ModelFolderError(`${name} is not encoded as UTF-8`)
  }
}
