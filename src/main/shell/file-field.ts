/** A page's file field, as the browser describes it over its debugger connection: the page's scripts aren't asked. */
import type { Debugger } from 'electron'
import { decideNavigation, type SigningScope } from '../core/policy/navigation.ts'
import type { FileChooser } from './isolated-page.ts'

export interface FileField extends FileChooser {
  backendNodeId: number
  accept: string[]
  takesFolder: boolean
}

interface FrameTree {
  frame: { id: string; url: string; securityOrigin: string }
  childFrames?: FrameTree[]
}

/**
 * Returns the field that asked for a file. Undefined unless it belongs to a document that is itself on the ground, as
 * for the camera: a script's own file dialog has no field, and a frame in another process belongs to another site.
 */
export async function fileFieldOf(
  connection: Debugger,
  chooser: FileChooser,
  ground: SigningScope
): Promise<FileField | undefined> {
  const { backendNodeId, frameId, sessionId } = chooser
  if (backendNodeId === undefined || sessionId !== undefined) return undefined
  try {
    const { frameTree } = (await connection.sendCommand('Page.getFrameTree')) as { frameTree: FrameTree }
    const askingFrame = framesIn(frameTree).find(({ id }) => id === frameId)
    const urls = askingFrame ? [askingFrame.url, askingFrame.securityOrigin] : []
    const isOnGround = urls.every((url) => decideNavigation({ url, isMainFrame: true }, ground).kind === 'allow')
    if (!askingFrame || !isOnGround) return undefined
    const { node } = (await connection.sendCommand('DOM.describeNode', { backendNodeId })) as {
      node: { nodeName: string; attributes?: string[] }
    }
    if (node.nodeName !== 'INPUT') return undefined
    const attributes = attributesOf(node.attributes ?? [])
    if (attributes.get('type')?.toLowerCase() !== 'file') return undefined
    const accept = acceptedTypes(attributes.get('accept') ?? '')
    return { ...chooser, backendNodeId, accept, takesFolder: attributes.has('webkitdirectory') }
  } catch {
    // The page is gone, or the field.
    return undefined
  }
}

/**
 * Sets the field's file to the one at this path, as if the person had chosen it in the browser's dialog. Returns
 * whether that worked: since it asked, the field may have become another kind of field, or its page may be gone.
 */
export async function setFieldFile(
  connection: Debugger,
  requestedField: FileField,
  path: string,
  ground: SigningScope
): Promise<boolean> {
  const field = await fileFieldOf(connection, requestedField, ground)
  if (!field || field.takesFolder) return false
  try {
    await connection.sendCommand('DOM.setFileInputFiles', { files: [path], backendNodeId: field.backendNodeId })
    return true
  } catch {
    return false
  }
}

const framesIn = ({ frame, childFrames = [] }: FrameTree): FrameTree['frame'][] => [
  frame,
  ...childFrames.flatMap(framesIn)
]

/** Names and values alternate. */
function attributesOf(listed: readonly string[]): Map<string, string> {
  const pairs = Array.from({ length: listed.length / 2 }, (_, at) => [listed[2 * at], listed[2 * at + 1]] as const)
  return new Map(pairs.map(([name = '', value = '']) => [name.toLowerCase(), value]))
}

/** Returns the types in a page's `accept` that can be understood; a page may write anything there. */
export function acceptedTypes(attribute: string): string[] {
  const words = attribute.slice(0, 2000).split(',')
  return [...new Set(words.map((word) => word.trim().toLowerCase()))]
    .filter((word) => /^\.[a-z0-9]{1,12}$|^(\*|[a-z]{1,20})\/(\*|[a-z0-9.+-]{1,80})$/.test(word))
    .slice(0, 50)
}
