/** A file that goes where a person said in the system's dialog. */
import { basename } from 'node:path'
import { type FileContent, writeAtomically } from './atomic-file.ts'

/**
 * Writes it, whole or not at all. Some systems' dialogs leave the ending to us; they asked nobody about the name with it,
 * so nothing is replaced there.
 * @param path absolute; where it has the ending, the person was asked whether a file of that name may be replaced.
 * @param ending without its dot: `csv`.
 * @returns the name it has now.
 * @throws FileError; what `content` throws while it is read. Nothing is left behind then.
 */
export async function writeWhereChosen(path: string, ending: string, content: FileContent): Promise<string> {
  const hasEnding = path.toLowerCase().endsWith(`.${ending}`)
  const written = await writeAtomically(hasEnding ? path : `${path}.${ending}`, content, {
    ifExists: hasEnding ? 'replace' : 'number'
  })
  return basename(written.path)
}
