/** The model files of a deploy over HTTP: from JSON, or from a multipart form. */
import { readFile } from 'node:fs/promises'
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { MODEL_FILE_BYTES_MAX } from '../../model/parse.ts'
import type { ModelFile } from '../../model/parse.ts'
import type { AppContext } from '../../server/context.ts'
import { receiveMultipart } from '../../server/multipart.ts'
import { FILE_NAME_CHARACTERS_MAX, FILES_MAX } from './schema.ts'
import type { DeployRequest } from './schema.ts'

/** Reads a form with `files` and the flags of a DeployRequest; nothing of it stays on the disk. */
export async function readForm(app: AppContext, request: Request): Promise<DeployRequest> {
  await using form = await receiveMultipart(request, {
    folder: app.files.receivedFolder,
    fileBytesMax: MODEL_FILE_BYTES_MAX,
    filesMax: FILES_MAX,
    keepsPaths: true,
  })
  const flag = (name: string): boolean => readFlag(name, form.fields.get(name.toLowerCase()))
  const files: DeployRequest['Files'] = []
  for (const { fileName, path } of form.files)
    files.push({ FileName: fileName, Body: decode(fileName, await readFile(path)) })
  return {
    Files: files,
    DryRun: flag('DryRun'),
    AllowDataLoss: flag('AllowDataLoss'),
    Prune: flag('Prune'),
    Overwrite: flag('Overwrite'),
  }
}

/** Fields of forms are texts; what is none of these words is no flag to be guessed. */
function readFlag(name: string, text: string | undefined): boolean {
  const word = text?.trim().toLowerCase() ?? ''
  if (word === 'true' || word === '1') return true
  if (word === '' || word === 'false' || word === '0') return false
  throw invalid(say`${name} is true or false`)
}

/** What is kept is the verbatim text, its byte order mark too. */
function decode(fileName: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw invalid(say`${fileName} is not encoded as UTF-8`)
  }
}

/**
 * The files under names as `appengine deploy` gives them: paths below the model's folder.
 * @throws invalid for none, for a name that is none, for one that is there twice.
 */
export function requireFiles(files: NonNullable<DeployRequest['Files']>): ModelFile[] {
  if (files.length === 0) throw invalid(say`Files must hold at least one model file`)
  const seen = new Set<string>()
  return files.map(({ FileName, Body }) => {
    if (!isFileName(FileName)) throw invalid(say`A FileName is a path below the model’s folder`)
    if (seen.has(FileName)) throw invalid(say`${FileName} is there twice`)
    // What cannot be written as UTF-8 could not be kept verbatim.
    if (!Body.isWellFormed()) throw invalid(say`${FileName} is not encoded as UTF-8`)
    seen.add(FileName)
    return { name: FileName, body: Body }
  })
}

const isFileName = (name: string): boolean =>
  name.length <= FILE_NAME_CHARACTERS_MAX &&
  name.isWellFormed() &&
  !/[\p{Cc}\\]/u.test(name) &&
  name.split('/').every((part) => part.trim() !== '' && part !== '.' && part !== '..')
