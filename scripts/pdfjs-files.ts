/**
 * What pdf.js reads while it paints, put beside the renderer's own files, so that no PDF makes the application ask anybody
 * else: the fonts that every reader of PDFs has, tables of Asian characters, and its decoders of two kinds of pictures. Of
 * the latter only those in JavaScript: WebAssembly would need a weaker content policy.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const PACKAGE = dirname(fileURLToPath(import.meta.resolve('pdfjs-dist/package.json')))

/** Where they are found below the renderer's start; `screens/pdf/pdfjs.ts` asks for them there. */
const FOLDER = 'pdfjs'
const WANTED: Record<string, RegExp> = {
  cmaps: /\.bcmap$|^LICENSE/,
  standard_fonts: /\.(pfb|ttf)$|^LICENSE/,
  wasm: /_nowasm_fallback\.js$|^LICENSE_(?!QCMS|QUICKJS|PDFJS_QCMS|PDFJS_QUICKJS)/
}

export function pdfjsFiles(): Plugin {
  const files = Object.entries(WANTED).flatMap(([folder, wanted]) =>
    readdirSync(join(PACKAGE, folder))
      .filter((name) => wanted.test(name))
      .map((name) => `${folder}/${name}`)
  )
  return {
    name: 'pdfjs-files',
    generateBundle() {
      for (const file of files)
        this.emitFile({ type: 'asset', fileName: `${FOLDER}/${file}`, source: readFileSync(join(PACKAGE, file)) })
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const file = files.find((known) => request.url === `/${FOLDER}/${known}`)
        if (!file) return next()
        response.setHeader('Content-Type', file.endsWith('.js') ? 'text/javascript' : 'application/octet-stream')
        response.end(readFileSync(join(PACKAGE, file)))
      })
    }
  }
}
