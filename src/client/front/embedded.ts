/** The client's files in an executable; the build puts them here (scripts/build.ts). */

/** A bundle as an executable holds it: gzip, with the paths and the policy's hashes beside. */
export interface EmbeddedClient {
  styleHashes: string[]
  /** The path of a file in the executable, by the path of its address. */
  files: Record<string, string>
}

/** Undefined where the engine runs from its sources, which are bundled then. */
export const EMBEDDED: EmbeddedClient | undefined = undefined
