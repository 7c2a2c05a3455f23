/** Records for the palette, as the server's search finds them in all objects. */
import { say } from '../../texts/texts.ts'
import { type Schemas, take, wire } from '../../api/wire.ts'
import { addressOf } from '../../state/address.ts'
import type { Entry, EntryGroup } from './entries.ts'

/** Records of an object that are shown. */
const HITS = 5

type Group = Pick<Schemas['SearchGroup'], 'Object' | 'Label' | 'Total'> & {
  Hits: (Omit<Schemas['SearchHit'], 'Ranges'> & { Ranges: number[][] })[]
}

/** Records that a text found, by object. */
export interface FoundRecords {
  groups: readonly EntryGroup[]
  /** The words that were searched for in place of the text, which nothing has. */
  corrected: string | null
}

/** Searches in all objects. @throws ServerError */
export async function findRecords(text: string, signal: AbortSignal): Promise<FoundRecords> {
  const query = { q: text, limit: HITS }
  const { Groups, Corrected } = await take(
    wire.GET('/api/v1/svc/search', { params: { query }, signal }),
  )
  return {
    groups: Groups.map((group) => planGroup(group, Corrected ?? text)),
    corrected: Corrected,
  }
}

function planGroup({ Object: object, Label, Total, Hits }: Group, text: string): EntryGroup {
  const path = ['object', object.toLowerCase()]
  const entries = Hits.map(({ Keys, Title, Snippet, Ranges }): Entry => {
    const address = addressOf([...path, ...Object.values(Keys).map(String)])
    const isTitle = Snippet === Title
    return {
      id: `record ${address}`,
      text: Title,
      ...(!isTitle && { detail: Snippet }),
      ranges: Ranges.map(([start = 0, length = 0]) => [start, length] as const),
      icon: 'file-text',
      address,
    }
  })
  const rest: Entry = {
    id: `all ${object}`,
    text: say('paletteAll', { label: Label }),
    icon: 'search',
    address: addressOf(path, { search: text }),
  }
  return {
    name: `found-${object}`,
    label: Label,
    entries: Total > Hits.length ? [...entries, rest] : entries,
  }
}
