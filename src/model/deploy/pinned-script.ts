/** The text of a workflow in the version that instances are held to. */
import type { Reader } from '../../store/store.ts'
import type { Script } from '../compiled/script.ts'

const TEXT = `SELECT FileName, Body, Document FROM svc_scripts
  WHERE Type = 'Workflow' AND VersionHash = @hash ORDER BY Id DESC LIMIT 1`

/**
 * The version as it was stored, under the name that the workflow has now; undefined where nothing
 * of it is left.
 */
export async function readPinnedScript(
  reader: Pick<Reader, 'all'>,
  { name, hash }: { name: string; hash: string },
): Promise<Script | undefined> {
  const [row] = await reader.all<{ FileName: string; Body: string; Document: string }>(TEXT, {
    hash,
  })
  if (!row) return undefined
  const element = JSON.parse(row.Document) as Script['element']
  const attributes = { ...element.attributes, Name: name }
  return {
    type: 'Workflow',
    name,
    fileName: row.FileName,
    body: row.Body,
    versionHash: hash,
    element: { ...element, attributes },
  }
}
