/** Terminal colours as functions; the plain style returns text as it is. */

export type Paint = (text: string) => string;

export interface Style {
  bold: Paint;
  dim: Paint;
  red: Paint;
  green: Paint;
  yellow: Paint;
  cyan: Paint;
}

/** Styles that colour, or do nothing when `color` is false. */
export function createStyle(color: boolean): Style {
  function paint(open: number, close: number): Paint {
    return color ? (text) => `\x1b[${open}m${text}\x1b[${close}m` : (text) => text;
  }
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}
