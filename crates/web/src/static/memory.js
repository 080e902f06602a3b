// What the system below lacks: files in memory that grow, and paths without links.
/** Files grow by doubling: the system below copies a file with every piece that is written. */
wasi.OpenFile.prototype.fd_write = function write(bytes) {
  const { file } = this;
  const from = Number(this.file_pos);
  const end = from + bytes.byteLength;
  if (end > file.data.byteLength) file.data = longer(file.data, end);
  file.data.set(bytes, from);
  this.file_pos = BigInt(end);
  return { ret: 0, nwritten: bytes.byteLength };
};

function longer(data, end) {
  if (data.byteOffset === 0 && data.buffer.byteLength >= end) return new Uint8Array(data.buffer, 0, end);
  const room = new Uint8Array(Math.max(end, 2 * data.byteLength));
  room.set(data);
  return room.subarray(0, end);
}

/** There are no links: of what exists, the answer is that it is none (EINVAL). Paths without links are found by it. */
wasi.PreopenDirectory.prototype.path_readlink = function readLink(path) {
  const { ret } = this.path_lookup(path, 0);
  return { ret: ret === 0 ? 28 : ret, data: null };
};
