/** The model files of a folder. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelFile } from './parse.ts'

/** A folder that does not hold a model: its message says what to do. */
export class ModelFolderError extends Error {
  override readonly name = 'ModelFolderError'
}

/**
 * Reads every `*.xml` below a folder, in the order of their paths, which are their names (with `/`
 * on every system). Throws a ModelFolderError where there is no such folder or no file in it.
 */
export async function readModelFolder(folder: string): Promise<ModelFile[]> {
  const facts = await stat(folder).catch(() => undefined)
  if (facts === undefined) throw new ModelFolderError(`There is no folder ${folder}`)
  if (!facts.isDirectory()) throw new ModelFolderError(`${folder} is a file, not a folder`)
  const names = await listFiles(folder)
  if (names.length === 0) throw new ModelFolderError(`There is no .xml file in ${folder}`)
  return Promise.all(names.map((name) => readModelFile(folder, name)))
}

async function listFiles(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile() && /\.xml$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length))
    .map((name) => name.replaceAll('\\', '/'))
    .sort()
}

/** Reads a file; bytes that are not UTF-8 must not be patched up, as the verbatim text is kept. */
async function readModelFile(folder: string, name: string): Promise<ModelFile> {
  const bytes = await readFile(join(folder, name))
  try {
    return { name, body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    throw new ModelFolderError(`${name} is not encoded as UTF-8`)
  }
}
