/** Failures of commands about a folder of model files that they cannot read. */
import { ModelFolderError } from '../model/parse/folder.ts'
import { CommandFailure } from './output.ts'

/** Turns the complaint about a folder into that of the command. */
export function explainFolder(error: unknown): never {
  if (error instanceof ModelFolderError) throw new CommandFailure(error.message)
  throw error
}
