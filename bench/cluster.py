"""A cluster on loopback: how long a release takes there, and what comes out when executors are killed.

    cargo build --release --features full
    python3 bench/cluster.py --velamen target/release/velamen --rows 14000000 --kills 30

Starts one scheduler and three executors, makes one release in process and one on the cluster, then one for each
kill: one executor gets SIGKILL at moments spread over the time that the release took without a fault. Every
release that comes out is compared with the first. Nothing but what this script started is stopped.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import tempfile
import time

RECIPE = """
[input]
path = "patients.parquet"
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }
[attributes.sex]
role = "quasi-identifier"
[attributes.location]
role = "quasi-identifier"
hierarchy = { mask = "right", length = 4 }
[attributes.length_of_stay]
role = "insensitive"
[attributes.surgery]
role = "identifier"
[attributes.diagnosis]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 10
[method]
name = "optimal"
seed = 5
[output]
path = "here"
sync = false
"""


class Cluster:
    def __init__(self, velamen, executors, folder, tls):
        self.velamen, self.nodes, self.folder = velamen, [], folder
        self.work = {}
        self.certified = ["--certificates", os.path.join(folder, "ca", "127.0.0.1")] if tls else []
        self.scheduler, address = self.start("scheduler", "--port", "0")
        self.url = f"df://{address}"
        self.executors = [self.executor() for _ in range(executors)]

    def start(self, *arguments):
        node = subprocess.Popen([self.velamen, "cluster", *arguments, *self.certified], stdout=subprocess.PIPE, text=True)
        self.nodes.append(node)
        return node, re.search(r"listens at ([^;]+);", node.stdout.readline()).group(1)

    def executor(self):
        work = tempfile.mkdtemp(dir=self.folder)
        node = self.start("executor", "--scheduler", self.url, "--slots", "2", "--memory", "1024", "--work-dir", work)[0]
        self.work[node] = work
        return node

    def kill(self, number):
        node = self.executors[number]
        node.kill()
        node.wait()
        # What it leaves behind is as large as the table's groups, and thirty times that fills a disk.
        shutil.rmtree(self.work.pop(node), ignore_errors=True)

    def stop(self):
        for node in self.nodes:
            node.kill()
            node.wait()


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--velamen", required=True)
    parser.add_argument("--rows", type=int, default=14_000_000)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--first", type=int, default=0, help="the first of the moments that is tried")
    parser.add_argument("--timeout", type=int, default=60, help="[engine] timeout, in seconds")
    parser.add_argument("--retries", type=int, default=2, help="[engine] retries")
    parser.add_argument("--static", action="store_true", help="[engine] adaptive = false")
    parser.add_argument("--tls", action="store_true", help="with certificates of an authority of its own")
    parser.add_argument("--format", choices=["csv", "parquet"], default="parquet")
    return parser.parse_args()


def data(release):
    files = [name for name in os.listdir(release) if name.startswith("data.")]
    with open(os.path.join(release, files[0]), "rb") as file:
        return file.read()


def main():
    asked = options()
    velamen = os.path.abspath(asked.velamen)
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        table = f"patients.{asked.format}"
        with open(os.path.join(folder, "recipe.toml"), "w", encoding="utf-8") as file:
            file.write(RECIPE)

        def run(output, *more):
            for name in (output, output + ".custodian"):
                shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
            command = [velamen, "anonymize", "recipe.toml", "--quiet", "--input", table, "--output", output, *more]
            return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

        subprocess.run(
            [velamen, "synth", "nps", "--quiet", "--rows", str(asked.rows), "--output", table], cwd=folder, check=True
        )
        begin = time.time()
        assert run("here").wait() == 0
        print(f"in process                         {time.time() - begin:7.1f} s", flush=True)
        expected = data(os.path.join(folder, "here"))
        if asked.tls:
            make = [velamen, "cluster", "certificates", "ca", "--nodes", "127.0.0.1"]
            subprocess.run(make, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        cluster = Cluster(velamen, 3, folder, asked.tls)
        on_cluster = ["--set", "engine.kind=cluster", "--set", f"engine.scheduler={cluster.url}"]
        on_cluster += ["--set", f"engine.timeout={asked.timeout}", "--set", f"engine.retries={asked.retries}"]
        on_cluster += ["--set", "engine.adaptive=false"] if asked.static else []
        on_cluster += ["--set", "engine.certificates=ca/driver"] if asked.tls else []
        try:
            time.sleep(1)
            begin = time.time()
            assert run("there", *on_cluster).wait() == 0
            span = time.time() - begin
            same = data(os.path.join(folder, "there")) == expected
            print(f"on the cluster, no fault           {span:7.1f} s  {'the same' if same else 'WRONG'}", flush=True)
            counts = {"the same": 0, "refused": 0, "WRONG": 0}
            for number in range(asked.first, asked.kills):
                moment, victim = span * number / asked.kills, random.randrange(3)
                begin, process = time.time(), run("there", *on_cluster)
                time.sleep(moment)
                cluster.kill(victim)
                said = process.communicate()[1]
                took = time.time() - begin
                cluster.executors[victim] = cluster.executor()
                if process.returncode == 0:
                    outcome = "the same" if data(os.path.join(folder, "there")) == expected else "WRONG"
                else:
                    gone = not os.path.exists(os.path.join(folder, "there"))
                    outcome = "refused" if process.returncode == 6 and gone else "WRONG"
                counts[outcome] += 1
                again = [line for line in said.splitlines() if "again:" in line or "error:" in line]
                print(f"an executor killed after {moment:6.2f} s  {took:7.1f} s  {outcome}", *again, sep="  ", flush=True)
            print(", ".join(f"{outcome}: {count}" for outcome, count in counts.items()))
        finally:
            cluster.stop()


if __name__ == "__main__":
    main()
